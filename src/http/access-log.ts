// Writes one log line per request: method, route, status, duration. Never logs bodies, tokens, object ids or query values.
import type { RequestHandler } from 'express';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { traceIdOf } from '../lib/traceparent.ts';
import { requestContextOf, statusOf } from './request/context.ts';

/** They arrive every few seconds; their lines and spans would hide the others. */
export const probes: ReadonlySet<string> = new Set(['/health', '/livez', '/readyz']);

export function accessLog({ log, clock }: { log: Log; clock: Clock }): RequestHandler {
  return (req, res, next) => {
    const started = clock.monotonic();
    res.once('close', () => {
      const { id, route, organization, traceparent } = requestContextOf(req);
      const fields = {
        method: req.method,
        route: route?.pattern ?? 'none',
        status: statusOf(req, res),
        ms: Math.round(10 * (clock.monotonic() - started)) / 10,
        request_id: id,
        ...(organization === undefined ? {} : { organization }),
        ...traceIn(traceparent),
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (probes.has(fields.route)) log.debug(fields, 'Request answered');
      else log.info(fields, 'Request answered');
    });
    next();
  };
}

function traceIn(traceparent: string | undefined) {
  return traceparent === undefined ? {} : { trace_id: traceIdOf(traceparent) };
}
