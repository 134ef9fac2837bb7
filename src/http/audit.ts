// Writes one line of JSON for each request that is not a read, and for reads that show secrets: the caller, the request and the outcome.
// Never a body or a token.
// The line does not pass the logger, so no log level drops it.
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { type ErrorCode, errors } from '../api/errors.ts';
import { FairleadError } from '../domain/errors.ts';
import { idOf, parseResourceAddress } from '../domain/identity.ts';
import type { Clock } from '../lib/clock.ts';
import { percentDecoded, truncate } from '../lib/text.ts';
import { callerIn } from './auth/authenticate.ts';
import { ClientGone } from './request/body.ts';
import { type PathTarget, requestContextOf } from './request/context.ts';
import { pathSegments, type Route } from './route-table.ts';

export interface Audit {
  /** Each request of the handler, unless it reads no secrets, leaves one line when its work and its response have ended. */
  around(handle: (...request: Parameters<RequestHandler>) => Promise<void>): RequestHandler;
  /** Writes the lines of requests whose work has not ended. For the end of the process, when nothing is served any more. */
  close(): void;
}

interface AuditDeps {
  /** Receives a line with its line feed. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
}

interface RequestEnding {
  readonly outcome: 'succeeded' | 'refused' | 'failed' | 'unknown';
  readonly status: number | null;
  readonly code: string | null;
}

/** A part may have been carried out. */
const partial: readonly ErrorCode[] = ['unavailable', 'set_incomplete'];
const reads: readonly string[] = ['GET', 'HEAD'];
const maxIdLength = 320;
/** Reads of the same secrets by the same caller within this time are one line. */
const sameReadMs = 600_000;
const maxKnownReads = 10_000;
const unknownEnding: RequestEnding = { outcome: 'unknown', status: null, code: null };

export function createAudit({ write, clock }: AuditDeps): Audit {
  const open = new Set<(ending: RequestEnding) => void>();
  const known = new LRUCache<string, true>({ max: maxKnownReads, ttl: sameReadMs });

  function begin(req: Request, res: Response, began: number): (ending: RequestEnding) => void {
    const record = (ending: RequestEnding) => {
      if (!open.delete(record)) return;
      const now = { time: clock.now().toISOString(), ms: Math.round(clock.monotonic() - began) };
      write(auditLine(req, res, { ...ending, ...now }));
    };
    open.add(record);
    const closed = new Promise((resolve) => res.once('close', resolve));
    // The client may disconnect long before the work ends, and the line gives the outcome of the work.
    return (ending) => void closed.then(() => record(ending));
  }

  /** A program that reads again and again would write more lines than all others. */
  function isFirstRead(req: Request): boolean {
    const { operation, target } = requestContextOf(req);
    const { subject, organization } = callerIn(req) ?? {};
    const caller = [organization?.namespace, organization?.issuer, subject];
    const key = JSON.stringify([...caller, operation, target]);
    if (known.has(key)) return false;
    known.set(key, true);
    return true;
  }

  return {
    around: (handle) => async (req, res, next) => {
      const began = clock.monotonic();
      let end: ((ending: RequestEnding) => void) | undefined;
      const start = () => {
        end ??= begin(req, res, began);
      };
      if (!reads.includes(req.method)) start();
      else {
        requestContextOf(req).onSecrets = () => {
          if (isFirstRead(req)) start();
        };
      }
      try {
        await handle(req, res, next);
        end?.(endingOf(res.statusCode));
      } catch (thrown) {
        end?.(endingAfter(thrown));
        throw thrown;
      }
    },
    close() {
      for (const record of [...open]) record(unknownEnding);
    },
  };
}

function endingOf(status: number): RequestEnding {
  return { outcome: status < 400 ? 'succeeded' : 'refused', status, code: null };
}

/** The error handler runs afterwards, and writes no status to a client that is gone: the error itself decides. */
function endingAfter(thrown: unknown): RequestEnding {
  // The body never ended, so nothing was carried out.
  if (thrown instanceof ClientGone)
    return { outcome: 'refused', status: null, code: 'client_gone' };
  if (!(thrown instanceof FairleadError)) return { outcome: 'failed', status: 500, code: null };
  const status = errors[thrown.code].status;
  const outcome = partial.includes(thrown.code) ? 'failed' : 'refused';
  return { outcome, status, code: thrown.code };
}

/** @returns the ids in a path as they were sent, with one spelling for a resource; readable even if the path is not valid */
export function targetIn(route: Route, path: string): PathTarget {
  const { provider, resource, name, resource_id, ...ids } = Object.fromEntries(
    pathSegments(route, path).map(([parameter, text]) => [parameter, percentDecoded(text)]),
  );
  if (resource_id !== undefined) {
    const address = parseResourceAddress(resource_id);
    return { ...ids, resource_id: address === undefined ? resource_id : `resource:${address.key}` };
  }
  if (provider !== undefined && resource !== undefined && name !== undefined) {
    return { ...ids, resource_id: idOf({ provider, resource, name }) };
  }
  return { ...ids, ...(provider && { provider }), ...(resource && { resource }) };
}

function auditLine(
  req: Request,
  res: Response,
  ending: RequestEnding & { time: string; ms: number },
) {
  const { id, operation, target, dryRun } = requestContextOf(req);
  const caller = callerIn(req);
  const { outcome, status, code, time, ms } = ending;
  const line = {
    audit: true,
    time,
    request_id: id,
    subject: caller?.subject ?? null,
    subject_name: caller?.display ?? null,
    issuer: caller?.organization.issuer ?? null,
    organization: caller?.organization.id ?? null,
    namespace: caller?.organization.namespace ?? null,
    project: caller?.project ?? null,
    role: caller?.role ?? null,
    method: req.method,
    operation: operation ?? null,
    target: boundedTarget(target),
    dry_run: dryRun,
    outcome,
    status,
    code,
    aborted: !res.writableFinished,
    ms,
  };
  return `${printable(JSON.stringify(line))}\n`;
}

function boundedTarget(target: PathTarget): PathTarget {
  return Object.fromEntries(
    Object.entries(target).map(([name, id]) => [name, truncate(id, maxIdLength)]),
  );
}

/** Some readers end a line at U+0085 or U+2028, and a terminal shows text after U+202E backwards. */
function printable(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
