import { defaultTimeoutSeconds } from '../../domain/event.js';
import { traceIdOf, traceparentIn } from '../../lib/traceparent.js';
import { resourceDeleted } from '../cancelled.js';
import { watchCrashes } from '../crash/index.js';
import { keepLines } from '../logs/kept-lines.js';
import { jsonLines } from '../logs/log.js';
import { watchOutput } from '../logs/printed.js';
import { warningOnce } from '../progress.js';
import { allListening, answer, closeAll, isProbe, readBody, serversFor, writeJson, } from './http-server.js';
import { startProvider } from './lifetime.js';
import { Refusal } from './refusal.js';
import { answerRequest, isRequest } from './requests.js';
import { runEvent } from './run.js';
import { createRuns } from './runs.js';
import { createVerifier, keysOf } from './verify.js';
// By then the probes have failed, so the next attempt does not meet this process again.
const retryAfterSeconds = 5;
/**
 * Checks the settings with `check` of the provider, calls its `start`, and serves it over HTTP or HTTPS until `close`, which calls
 * `stop`. A provider that Fairlead runs needs no such call; this is for one that runs
 * elsewhere, with its address as the endpoint of its Provider object.
 *
 * Until `close`, an uncaught error, an unhandled rejection and `process.exit` of a handler's code end the process only after the
 * other handlers, or `crashGraceMs`. The event of that handler fails at once, with the code `crashed`; other events are refused. A
 * listener of the program for `uncaughtException` decides itself. Errors of other code end the process as usual.
 *
 * Until `close`, the last lines that a handler writes to its `log`, standard output and standard error are part of the answer when
 * its event fails, for the dead letter. They are written as before.
 *
 * @param provider the provider, made by `provider`
 * @param options the address to listen on, and the Fairlead whose events are accepted
 * @returns the server, as soon as it listens
 * @throws the error of `listen`, such as EADDRINUSE
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 * @example
 * ```ts
 * const served = await serve(storage, { fairlead: 'https://fairlead.example.org', port: 8080 });
 * process.once('SIGTERM', () => void served.close());
 * ```
 */
export async function serve(provider, options = {}) {
    const { fairlead = 'http://localhost:8000', host = '127.0.0.1' } = options;
    const { log = jsonLines, organizations, heartbeatMs = 5_000 } = options;
    const { crashGraceMs = 30_000, codeFolder = process.cwd() } = options;
    const given = options.settings ?? {};
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
    const lifetime = await startProvider(provider, { settings: given, log, signal });
    const { settings, started } = lifetime;
    const verify = createVerifier({ provider: provider.name, keys: keysOf(fairlead), organizations });
    const runs = createRuns({
        start({ event, traceparent }, signal, accept) {
            const kept = keepLines(ofEvent(log, event, traceparent), codeFolder);
            const handler = () => runEvent(provider, event, {
                signal: AbortSignal.any([signal, stopping.signal]),
                log: kept.log,
                codeFolder,
                settings,
                started,
                traceparent,
                progress: { accept, refuse: warningOnce((problem) => kept.log.warn(problem)) },
            });
            const subject = { resource: resourceName(event), log: kept.log };
            const reply = crashes.run(subject, () => kept.run(handler)).then(kept.addTo);
            return lifetime.before(reply);
        },
        limitOf: ({ resource }) => limitMs(provider, resource),
        heartbeatMs,
    });
    const answered = (request, res) => {
        const signals = [stopping.signal, closing(res), ...listLimit(provider, request)];
        const signal = AbortSignal.any(signals);
        const about = { given, settings, started, log: ofRequest(log, request), signal, codeFolder };
        const subject = { resource: provider.name, log };
        return crashes.run(subject, () => answerRequest(provider, request, about));
    };
    const handled = async (event, req, res) => {
        const { cancels } = event;
        if (cancels?.operation === false)
            return cancelReply(cancels.event_id, runs);
        const traceparent = traceparentIn(req.headers['traceparent']);
        return await runs.join({ event, traceparent }, res);
    };
    let isDraining = false;
    let isClosing = false;
    const handle = (req, res) => {
        const isLeaving = isDraining || crashes.isEnding();
        if (isLeaving && isProbe(req, '/readyz'))
            return writeJson(res, 503, {});
        void answer(req, res, async () => {
            try {
                const body = await readBody(req);
                const verified = await verify(req.headers, body);
                return isRequest(verified)
                    ? await lifetime.before(answered(verified, res))
                    : await handled(verified, req, res);
            }
            finally {
                if (crashes.isEnding())
                    res.setHeader('retry-after', retryAfterSeconds);
                // `close` would wait for an idle keep-alive connection, and the next event on it would be lost.
                if (isClosing || crashes.isEnding())
                    res.setHeader('connection', 'close');
            }
        });
    };
    const servers = serversFor(options, handle);
    const stop = () => lifetime.stop().catch((thrown) => {
        log.error('The provider ends without a complete stop', { error: thrown });
    });
    async function close(graceMs) {
        isClosing = true;
        const closed = closeAll(servers);
        const timer = setTimeout(() => {
            stopping.abort(new Error('The provider is stopping'));
            for (const { server } of servers)
                server.closeAllConnections();
        }, graceMs);
        await closed;
        clearTimeout(timer);
        await stop();
        unwatch();
    }
    const crashes = watchCrashes({ codeFolder, graceMs: crashGraceMs, close });
    const unwatchOutput = watchOutput();
    function unwatch() {
        crashes.stop();
        unwatchOutput();
    }
    const bound = await allListening(servers, host).catch(async (thrown) => {
        await stop();
        unwatch();
        throw thrown;
    });
    const scheme = options.tls === undefined ? 'http' : 'https';
    return {
        port: bound,
        url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
        drain() {
            isDraining = true;
        },
        close: (graceMs = 10_000) => close(graceMs),
    };
}
/** The answer proves nothing about the handler, which ends with an answer of its own. */
function cancelReply(event, runs) {
    if (runs.cancel(event, resourceDeleted()))
        return { status: 200, body: { outputs: {} } };
    // It may be about to begin, or run in another process behind the same address.
    throw new Refusal(404, 'not_running', 'No handler runs here for the event');
}
function limitMs({ types }, resource) {
    return 1_000 * (types.get(resource)?.timeoutSeconds ?? defaultTimeoutSeconds);
}
/** @returns a signal that is aborted when the handler of a request has run for as long as its type allows */
function listLimit(provider, request) {
    if (request.event_type !== 'LIST')
        return [];
    return [AbortSignal.timeout(limitMs(provider, request.resource))];
}
/** @returns a signal that is aborted when nobody waits for the answer any longer */
function closing(res) {
    const abort = new AbortController();
    res.once('close', () => abort.abort(new Error('The client closed the connection')));
    return abort.signal;
}
function resourceName({ provider, resource, name }) {
    return `${provider}/${resource}/${name}`;
}
function ofEvent(log, event, traceparent) {
    const about = {
        event: event.event_id,
        organization: event.organization_id,
        resource: resourceName(event),
        attempt: event.attempt,
        sequence: event.sequence,
        ...(traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) }),
    };
    return withFields(log, about);
}
function ofRequest(log, request) {
    if (request.event_type !== 'LIST')
        return log;
    const { organization_id: organization, provider, resource } = request;
    return withFields(log, { organization, resource: `${provider}/${resource}` });
}
/** Logs are filtered by these fields: a handler cannot replace them. */
function withFields(log, about) {
    const all = (fields) => ({ ...about, ...fields, ...about });
    return {
        debug: (message, fields) => log.debug(message, all(fields)),
        info: (message, fields) => log.info(message, all(fields)),
        warn: (message, fields) => log.warn(message, all(fields)),
        error: (message, fields) => log.error(message, all(fields)),
    };
}
