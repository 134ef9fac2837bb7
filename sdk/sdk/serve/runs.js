import { progressField } from '../../domain/progress/header.js';
import { Refusal } from './refusal.js';
export function createRuns({ start, limitOf, heartbeatMs }) {
    const runs = new Map();
    function running(delivery) {
        const { event } = delivery;
        const known = runs.get(event.event_id);
        if (known !== undefined && !known.abort.signal.aborted)
            return known;
        const abort = new AbortController();
        const limitMs = limitOf(event);
        const timer = setTimeout(() => abort.abort(handlerTooLong(limitMs)), limitMs).unref();
        const until = performance.now() + limitMs;
        const signs = createSignsOfLife({ until, everyMs: heartbeatMs });
        const begin = () => start(delivery, abort.signal, signs.report);
        const reply = runAfter(known, begin, abort.signal).finally(() => {
            clearTimeout(timer);
            if (runs.get(event.event_id)?.abort === abort)
                runs.delete(event.event_id);
        });
        const run = { reply, abort, until, signs, waiting: 0 };
        runs.set(event.event_id, run);
        return run;
    }
    /** Two attempts of one event never run beside each other, unless the earlier one ignores that its time is over. */
    async function runAfter(earlier, begin, signal) {
        if (earlier !== undefined)
            await untilEnded(earlier);
        if (signal.aborted)
            throw new Refusal(503, 'gone', 'The client closed the connection');
        return await begin();
    }
    return {
        join(delivery, res) {
            // A client that disconnected while the keys were fetched emits no further event.
            if (res.closed)
                throw new Refusal(503, 'gone', 'The client closed the connection');
            const run = running(delivery);
            run.waiting += 1;
            const end = run.signs.sendTo(res);
            res.once('close', () => {
                end();
                run.waiting -= 1;
                if (run.waiting === 0)
                    run.abort.abort(new Error('The client closed the connection'));
            });
            return run.reply.finally(end);
        },
        cancel(event, reason) {
            const run = runs.get(event);
            run?.abort.abort(reason);
            return run !== undefined;
        },
    };
}
/** A handler that ignores its signal would hold up the event for ever; it counts as ended when its time is over. */
async function untilEnded({ reply, until }) {
    const late = Promise.withResolvers();
    const timer = setTimeout(() => late.resolve(), Math.max(0, until - performance.now())).unref();
    await Promise.race([reply.catch(() => undefined), late.promise]);
    clearTimeout(timer);
}
function handlerTooLong(limitMs) {
    return new Error(`The handler has run for ${limitMs / 1_000} s, the limit of its type`);
}
const reportMs = 1_000;
/** A proxy may drop interim responses: the delivery then has the time of any other, and shows no progress. */
function createSignsOfLife({ until, everyMs }) {
    const connections = new Set();
    let latest;
    let reportedAt = -Infinity;
    let timer;
    function send(res) {
        if (performance.now() >= until)
            return;
        // Before 24.18, Node.js has no interim responses with headers of one's own.
        if (latest === undefined || typeof res.writeInformation !== 'function')
            res.writeProcessing();
        else
            res.writeInformation(102, { 'Fairlead-Progress': progressField(latest) });
    }
    function sendToAll() {
        clearTimeout(timer);
        timer = undefined;
        reportedAt = performance.now();
        for (const res of connections)
            send(res);
    }
    return {
        sendTo(res) {
            // RFC 9110: a server must not send an interim response to a client of HTTP/1.0.
            if (res.req.httpVersion === '1.0')
                return () => undefined;
            connections.add(res);
            // A handler may have reported before its connection is here.
            if (latest !== undefined)
                send(res);
            const heartbeat = setInterval(() => send(res), everyMs);
            return () => {
                clearInterval(heartbeat);
                connections.delete(res);
            };
        },
        report(progress) {
            latest = progress;
            const dueIn = reportedAt + reportMs - performance.now();
            if (dueIn <= 0)
                sendToAll();
            else
                timer ??= setTimeout(sendToAll, dueIn).unref();
        },
    };
}
