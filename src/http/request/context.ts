// Holds the data of a request in progress for the log and for error responses.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

interface RequestContext {
  readonly id: string;
  /** The route that the path matches. */
  route: { readonly pattern: string } | undefined;
  organization: string | undefined;
  /** The operation id of the endpoint. */
  operation: string | undefined;
  /** The ids of what the request is about. */
  target: PathTarget;
  dryRun: boolean;
  /** Call it when a read shows secrets: it leaves an audit line. */
  onSecrets: () => void;
  /** The trace of the request; undefined when it has none. */
  traceparent: string | undefined;
  /** The status of an error that came after the head of the answer. */
  lateStatus: number | undefined;
}

/** Ids by their names, as `{ provider: 'postgres', version: '20260131.120000' }`. */
export type PathTarget = Readonly<Record<string, string>>;

const requestContexts = new WeakMap<IncomingMessage, RequestContext>();
const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives every request an id, the client's own if it is one word, and returns it with the response. */
export function beginRequestContext(newId: () => string): RequestHandler {
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && acceptable.test(given) ? given : newId();
    requestContexts.set(req, {
      id,
      route: undefined,
      organization: undefined,
      operation: undefined,
      target: {},
      dryRun: false,
      onSecrets: () => undefined,
      traceparent: undefined,
      lateStatus: undefined,
    });
    res.setHeader('X-Request-Id', id);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  };
}

export function requestContextOf(req: IncomingMessage): RequestContext {
  const requestContext = requestContexts.get(req);
  if (requestContext === undefined)
    throw new TypeError('beginRequestContext did not run for this request');
  return requestContext;
}

/** @returns the status to which a request has come, also when the head of its answer was sent before */
export function statusOf(req: IncomingMessage, { statusCode }: ServerResponse): number {
  return requestContextOf(req).lateStatus ?? statusCode;
}
