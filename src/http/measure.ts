// Reports every response to an observer. Routes are patterns, so the paths of requests create no time series.
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Clock } from '../lib/clock.ts';
import { requestContextOf, statusOf } from './request/context.ts';
import { eventStreamType } from './response/event-stream.ts';

interface AnsweredRequest {
  readonly method: string;
  /** For example `/resources/{resource_id}`; `none` if no route matches. */
  readonly route: string;
  /** `aborted` if the client disconnected before the end. */
  readonly status: string;
  /** Undefined for an answer that stayed open because the client requested that: its duration measures nothing. */
  readonly ms: number | undefined;
}

/** Must not throw. */
export type RequestObserver = (request: AnsweredRequest) => void;

export function measureRequests(clock: Clock, observer: RequestObserver): RequestHandler {
  return (req, res, next) => {
    const began = clock.monotonic();
    res.once('close', () => {
      observer({
        method: req.method,
        route: requestContextOf(req).route?.pattern ?? 'none',
        status: res.writableFinished ? String(statusOf(req, res)) : 'aborted',
        ms: wasHeldOpen(res) ? undefined : clock.monotonic() - began,
      });
    });
    next();
  };
}

function wasHeldOpen(res: ServerResponse): boolean {
  return res.getHeader('Content-Type') === eventStreamType || res.hasHeader('Preference-Applied');
}
