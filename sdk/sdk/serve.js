// The runtime of a provider: an HTTP server that accepts signed events and answers with the results of the handlers.
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { defaultTimeoutSeconds } from '../domain/event.js';
import { traceIdOf, traceparentIn } from '../lib/traceparent.js';
import { resourceDeleted } from './cancelled.js';
import { watchCrashes } from './crash/index.js';
import { keepLines } from './kept-lines.js';
import { jsonLines } from './log.js';
import { watchOutput } from './printed.js';
import { warningOnce } from './progress.js';
import { Refusal } from './refusal.js';
import { runEvent } from './run.js';
import { createRuns } from './runs.js';
import { parseSettings } from './settings.js';
import { createVerifier, keysOf } from './verify.js';
// Two configs, outputs and a context, with room for escapes.
const bodyLimitBytes = 4 * 1_048_576;
// By then the probes have failed, so the next attempt does not meet this process again.
const retryAfterSeconds = 5;
/**
 * Serves a provider over HTTP or HTTPS until `close`. A provider that Fairlead runs needs no such call; this is for one that runs
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
    const settings = await parseSettings(provider, options.settings ?? {});
    const verify = createVerifier({ provider: provider.name, keys: keysOf(fairlead), organizations });
    const stopping = new AbortController();
    const runs = createRuns({
        start({ event, traceparent }, signal, accept) {
            const kept = keepLines(ofEvent(log, event, traceparent), codeFolder);
            const handler = () => runEvent(provider, event, {
                signal: AbortSignal.any([signal, stopping.signal]),
                log: kept.log,
                codeFolder,
                settings,
                traceparent,
                progress: { accept, refuse: warningOnce((problem) => kept.log.warn(problem)) },
            });
            const subject = { resource: resourceName(event), log: kept.log };
            return crashes.run(subject, () => kept.run(handler)).then(kept.addTo);
        },
        limitOf: ({ resource }) => 1_000 * (provider.types.get(resource)?.timeoutSeconds ?? defaultTimeoutSeconds),
        heartbeatMs,
    });
    let isDraining = false;
    let isClosing = false;
    const handle = (req, res) => {
        const isLeaving = isDraining || crashes.isEnding();
        if (isLeaving && isProbe(req, '/readyz'))
            return send(res, 503, {});
        void answer(req, res, async () => {
            try {
                const body = await read(req);
                const event = await verify(req.headers, body);
                const traceparent = traceparentIn(req.headers['traceparent']);
                const { cancels } = event;
                if (cancels?.operation === false)
                    return cancel(cancels.event_id, runs);
                return await runs.join({ event, traceparent }, res);
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
        unwatch();
    }
    const crashes = watchCrashes({ codeFolder, graceMs: crashGraceMs, close });
    const unwatchOutput = watchOutput();
    function unwatch() {
        crashes.stop();
        unwatchOutput();
    }
    const bound = await allListening(servers, host).catch((thrown) => {
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
/** The answer says nothing about the handler, which ends with an answer of its own. */
function cancel(event, runs) {
    if (runs.cancel(event, resourceDeleted()))
        return { status: 200, body: { outputs: {} } };
    // It may be about to begin, or run in another process behind the same address.
    throw new Refusal(404, 'not_running', 'No handler runs here for the event');
}
/** @returns the servers to listen; the first is the one for events */
function serversFor({ port = 8080, tls }, handle) {
    if (tls === undefined)
        return [{ server: createServer(handle), port }];
    const { cert, key, port: securePort } = tls;
    const server = createSecureServer({ cert, key, minVersion: 'TLSv1.3' }, handle);
    if (securePort === undefined)
        return [{ server, port }];
    return [
        { server, port: securePort },
        { server: createServer(handle), port },
    ];
}
/** @returns the port of the first. @throws the error of `listen`; none listens then */
async function allListening(servers, host) {
    try {
        const [first = 0] = await Promise.all(servers.map(({ server, port }) => listening(server, { host, port })));
        return first;
    }
    catch (thrown) {
        await closeAll(servers);
        throw thrown;
    }
}
async function closeAll(servers) {
    const closed = servers.map(({ server }) => new Promise((resolve) => server.close(() => resolve())));
    for (const { server } of servers)
        server.closeIdleConnections();
    await Promise.all(closed);
}
async function answer(req, res, run) {
    const { method, url } = req;
    if (isProbe(req, '/livez') || isProbe(req, '/readyz'))
        return send(res, 200, {});
    if (method !== 'POST' || url !== '/') {
        return send(res, 404, { error: { code: 'not_found', message: 'Send events with POST /' } });
    }
    try {
        const { status, body } = await run();
        send(res, status, body);
    }
    catch (thrown) {
        const refusal = thrown instanceof Refusal ? thrown : undefined;
        const { status = 500, code = 'runtime_error', message = 'The runtime failed' } = refusal ?? {};
        if (refusal?.retryAfter !== undefined)
            res.setHeader('retry-after', refusal.retryAfter);
        send(res, status, { error: { code, message } });
    }
}
function isProbe({ method, url }, path) {
    return method === 'GET' && url === path;
}
function send(res, status, body) {
    const text = JSON.stringify(body);
    res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
async function read(req) {
    const chunks = [];
    let size = 0;
    for await (const chunk of req) {
        size += chunk.length;
        if (size > bodyLimitBytes)
            throw new Refusal(413, 'too_large', 'The event is too large');
        chunks.push(chunk);
    }
    return Buffer.concat(chunks);
}
function listening(server, address) {
    return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(address, () => {
            server.off('error', reject);
            resolve(server.address().port);
        });
    });
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
    // Logs are filtered by these fields: a handler cannot replace them.
    const all = (fields) => ({ ...about, ...fields, ...about });
    return {
        debug: (message, fields) => log.debug(message, all(fields)),
        info: (message, fields) => log.info(message, all(fields)),
        warn: (message, fields) => log.warn(message, all(fields)),
        error: (message, fields) => log.error(message, all(fields)),
    };
}
