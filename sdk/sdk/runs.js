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
        const timer = setTimeout(() => abort.abort(tooLong(limitMs)), limitMs).unref();
        const reply = runAfter(known, delivery, abort.signal).finally(() => {
            clearTimeout(timer);
            if (runs.get(event.event_id)?.abort === abort)
                runs.delete(event.event_id);
        });
        const run = { reply, abort, until: performance.now() + limitMs, waiting: 0 };
        runs.set(event.event_id, run);
        return run;
    }
    /** Two attempts of one event never run beside each other, unless the earlier one ignores that its time is over. */
    async function runAfter(earlier, delivery, signal) {
        if (earlier !== undefined)
            await ended(earlier);
        if (signal.aborted)
            throw new Refusal(503, 'gone', 'The client closed the connection');
        return await start(delivery, signal);
    }
    return {
        join(delivery, res) {
            // A client that disconnected while the keys were fetched emits no further event.
            if (res.closed)
                throw new Refusal(503, 'gone', 'The client closed the connection');
            const run = running(delivery);
            run.waiting += 1;
            const heartbeat = beating(res, run, heartbeatMs);
            res.once('close', () => {
                clearInterval(heartbeat);
                run.waiting -= 1;
                if (run.waiting === 0)
                    run.abort.abort(new Error('The client closed the connection'));
            });
            return run.reply.finally(() => clearInterval(heartbeat));
        },
        cancel(event, reason) {
            const run = runs.get(event);
            run?.abort.abort(reason);
            return run !== undefined;
        },
    };
}
/**
 * Sends 102 (Processing) while a handler may run, also while one ends whose signal is aborted. A proxy may drop it: the delivery
 * then has the time of any other.
 */
function beating(res, { until }, everyMs) {
    // RFC 9110: a server must not send an interim response to a client of HTTP/1.0.
    if (res.req.httpVersion === '1.0')
        return undefined;
    return setInterval(() => {
        if (performance.now() < until)
            res.writeProcessing();
    }, everyMs);
}
/** A handler that ignores its signal would hold up the event for ever; it counts as ended when its time is over. */
async function ended({ reply, until }) {
    const late = Promise.withResolvers();
    const timer = setTimeout(() => late.resolve(), Math.max(0, until - performance.now())).unref();
    await Promise.race([reply.catch(() => undefined), late.promise]);
    clearTimeout(timer);
}
function tooLong(limitMs) {
    return new Error(`The handler has run for ${limitMs / 1_000} s, the limit of its type`);
}
