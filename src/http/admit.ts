// Admits a request: its token, its role, its rate and its bytes are checked before the body is read.
import type { Request, Response } from 'express';
import type { ProtectedId } from '../api/operations.ts';
import { isPermitted, ruleOf } from '../api/permissions.ts';
import type { RoleHolder } from '../api/roles.ts';
import { FairleadError } from '../domain/errors.ts';
import { measureTurns } from '../lib/turns.ts';
import type { OrganizationStore } from '../store/interfaces.ts';
import { type Authenticator, authorizationOf, rememberCaller } from './auth/authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import type { ByteLimit } from './limits/byte-limit.ts';
import type { RateLimiter } from './limits/rate-limit.ts';
import type { BodyAccount, BodyLimits } from './request/body.ts';
import { requestContextOf } from './request/context.ts';

interface AdmissionDeps {
  readonly authenticator: Authenticator;
  readonly rateLimiter: RateLimiter;
  readonly organizations: Pick<OrganizationStore, 'check' | 'ensure'>;
  readonly limits: BodyLimits;
  readonly byteLimit: ByteLimit;
  /** A preview creates no organization. */
  readonly isPreview: boolean;
}

interface Account extends BodyAccount {
  /** @throws FairleadError `too_many_requests` when the response to a read exceeds the byte limit */
  answer(method: string, bytes: number): void;
}

/** @returns the account that is charged for the body and the response; undefined for a public endpoint */
export async function admit(
  req: Request,
  res: Response,
  endpoint: Endpoint,
  { authenticator, rateLimiter, organizations, limits, byteLimit, isPreview }: AdmissionDeps,
): Promise<Account | undefined> {
  if (endpoint.access === 'public') return undefined;
  const caller = await authenticator.authenticate(authorizationOf(req));
  requestContextOf(req).organization = caller.organization.namespace;
  rememberCaller(req, caller);
  // Before any costly step: a rejection must be cheap, and a rejected push counts as one.
  const quota = endpoint.access === 'pushCode' ? 'push' : 'default';
  const pay = (cost: number) => rateLimiter.take(caller.organization, quota, res, cost);
  let paid = costOf(declaredBytes(req, endpoint, limits));
  pay(1 + paid);
  measureTurns((ms) => rateLimiter.charge(caller.organization, ms / msOfOneRequest));
  authorize(caller, endpoint.access);
  if (isPreview) organizations.check(caller.organization);
  else await organizations.ensure(caller.organization);
  const share = byteLimit.enter(caller.organization.namespace);
  res.once('close', share.leave);
  // A closed response holds nothing, because nobody would release it.
  const unlessClosed = (hold: (bytes: number) => void) => (bytes: number) => {
    if (!res.closed) hold(bytes);
  };
  const hold = unlessClosed(share.hold);
  const count = unlessClosed(share.count);
  return {
    hold,
    // A completed change is always answered, whatever its size.
    answer: (method, bytes) => (method === 'GET' ? hold(bytes) : count(bytes)),
    // A body of unknown length is charged as it arrives.
    received: (bytes) => {
      const due = costOf(bytes) - paid;
      if (due <= 0) return;
      pay(due);
      paid += due;
    },
  };
}

const bytesOfOneRequest = 65_536;
/** The time that a short request takes of the thread (measured: 1.7 ms for an apply). */
const msOfOneRequest = 2;

/** A long body takes the time of many requests. @returns the number of additional requests that it counts as */
function costOf(bytes: number): number {
  return Math.floor(bytes / bytesOfOneRequest);
}

/** @returns 0 for a body of unknown length */
function declaredBytes(
  { headers }: Request,
  { exchange }: Endpoint,
  { bodyBytes }: BodyLimits,
): number {
  if (exchange.body === undefined || headers['transfer-encoding'] !== undefined) return 0;
  const bytes = Number(headers['content-length'] ?? 0);
  // A body that is too long is rejected by its head, and costs nothing.
  return bytes > bodyBytes ? 0 : bytes;
}

/**
 * Refuses callers whose role or project does not permit an operation.
 * @throws FairleadError `insufficient_role`, or `outside_project` for an operation that confined tokens do not permit
 */
export function authorize(holder: RoleHolder, operation: ProtectedId): void {
  if (isPermitted(holder, operation)) return;
  const { role, inProject } = ruleOf(operation);
  if (holder.project !== undefined && !inProject) {
    const message = 'A token that is confined to one project does not permit this operation';
    throw new FairleadError('outside_project', message);
  }
  const message = `The operation requires the role ${role}; the token grants ${holder.role}`;
  throw new FairleadError('insufficient_role', message);
}
