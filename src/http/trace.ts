// Continues the trace of a client, or begins one, and records each request as a span. Neither bodies nor queries are recorded.
import type { RequestHandler } from 'express';
import { traceparentIn } from '../lib/traceparent.ts';
import { noTracer, type Tracer } from '../lib/tracer.ts';
import { probes } from './access-log.ts';
import { requestContextOf, statusOf } from './request/context.ts';

export function traceRequests(tracer: Tracer): RequestHandler {
  return (req, res, next) => {
    const requestContext = requestContextOf(req);
    requestContext.traceparent = traceparentIn(req.headers['traceparent']);
    if (tracer === noTracer || probes.has(req.path)) return next();
    const span = tracer.start(req.method, {
      kind: 'server',
      parent: requestContext.traceparent,
      attributes: {
        'http.request.method': req.method,
        'url.scheme': 'http',
        'url.path': req.path,
        'fairlead.request_id': requestContext.id,
      },
    });
    requestContext.traceparent = span.traceparent;
    res.once('close', () => {
      const { route, organization } = requestContext;
      const status = statusOf(req, res);
      if (route !== undefined) span.rename(`${req.method} ${route.pattern}`);
      span.set({
        'http.route': route?.pattern,
        'http.response.status_code': status,
        'fairlead.organization': organization,
      });
      span.end(errorType(status, res.writableFinished));
    });
    next();
  };
}

/** By the conventions, an error of the client is no error of the server. */
function errorType(status: number, isWhole: boolean): string | undefined {
  if (!isWhole) return 'aborted';
  return status >= 500 ? `${status}` : undefined;
}
