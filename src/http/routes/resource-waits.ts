// Answers that stay open: watches of resources, and requests with the preference to wait for a result.

import { FairleadError } from '../../domain/errors.ts';
import { type ResourceAddress, resourceAddress, slashed } from '../../domain/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import { betweenSteps } from '../../lib/turns.ts';
import type { ResourceStore } from '../../store/interfaces.ts';
import type { ResourceRecord } from '../../store/records.ts';
import { resourceNotFound } from '../../store/resources/lookup.ts';
import type { ResourceWatches, Selection, Settled } from '../../store/watches/index.ts';
import type { Caller } from '../auth/authenticate.ts';
import { createOpenRequests } from '../limits/open-requests.ts';
import { type CallerViewDeps, callerView } from '../response/caller-view.ts';
import {
  eventStreamType,
  quietMs,
  streamHeaders,
  wantsEvents,
  withSignsOfLife,
} from '../response/event-stream.ts';
import { answerWith } from '../response/resource.ts';
import { createResourceEventStream, quietText, watchExpired } from '../response/resource-events.ts';
import { json, noContent, type RouteAnswer } from '../response/send.ts';

interface ResourceWaitsDeps extends CallerViewDeps {
  readonly resources: Pick<ResourceStore, 'get'>;
  readonly watches: ResourceWatches;
  readonly clock: Clock;
}

/** The parts of a request on which it depends whether and how long its response stays open. */
export interface OpenRequest {
  readonly caller: Caller;
  readonly lastEventId: string;
  /** Seconds. */
  readonly wait: number | undefined;
  readonly hidesSecrets?: boolean;
  readonly onSecrets: () => void;
  readonly closed: () => AbortSignal;
}

export interface ResourceWaits {
  /** @throws FairleadError `too_many_requests` */
  watch(request: OpenRequest, selection: Selection): Promise<RouteAnswer>;
  /** The record, when it is settled or the time is up; or a watch of it. */
  read(
    request: OpenRequest & { readonly accept: string },
    one: { address: ResourceAddress; deleting: boolean },
  ): Promise<RouteAnswer>;
  /** The record after an apply, when it is settled or the time is up. */
  applied(request: OpenRequest, record: ResourceRecord): Promise<RouteAnswer>;
  /** The record after a correction, when it is settled or the time is up. */
  corrected(request: OpenRequest, record: ResourceRecord): Promise<RouteAnswer>;
  /** The record after a request to observe its object, when that was observed or the time is up. */
  observed(request: OpenRequest, record: ResourceRecord): Promise<RouteAnswer>;
  /** The answer to a deletion that was accepted, when it has ended or the time is up. */
  deleted(request: OpenRequest, address: ResourceAddress): Promise<RouteAnswer>;
}

/** The limit of one organization on one replica. */
const maxWatches = 20;
/** More waits are answered at once, without `Preference-Applied`. */
const maxWaits = 100;
/** An idle watch holds no events, and a busy one a piece at a time. */
const heldBytes = 4_096;

export function createResourceWaits(deps: ResourceWaitsDeps): ResourceWaits {
  const { resources, watches, clock } = deps;
  const openWatches = createOpenRequests(maxWatches);
  const openWaits = createOpenRequests(maxWaits);
  const events = createResourceEventStream();

  async function watch(request: OpenRequest, selection: Selection): Promise<RouteAnswer> {
    const { caller, lastEventId, closed } = request;
    const { organization } = caller;
    const ending = new AbortController();
    const end = () => ending.abort();
    const signal = closed();
    if (!openWatches.enter(organization.namespace, signal)) throw tooManyWatches();
    endWith(signal, end);
    const since = lastEventId === '' ? undefined : lastEventId;
    const options = { selection, since, signal: ending.signal };
    const opened = await watches.open(organization, options);
    return {
      status: 200,
      headers: streamHeaders,
      content: {
        type: eventStreamType,
        heldBytes,
        cutShort: watchExpired,
        stream: (until) => {
          endWith(until, end);
          return withSignsOfLife(events.pieces(opened, callerView(request, deps)), {
            quiet: () => quietText(opened),
            quietMs,
          });
        },
      },
    };
  }

  /** @returns undefined when the client does not wait, or must not */
  async function settled(
    { caller, wait, closed }: OpenRequest,
    {
      address,
      ...options
    }: { address: ResourceAddress } & Pick<ResourceWaitSettleOptions, 'deletion' | 'until'>,
  ): Promise<Settled | undefined> {
    const { organization, project: scope, expiresAt } = caller;
    if (wait === undefined) return undefined;
    const signal = closed();
    if (!openWaits.enter(organization.namespace, signal)) return undefined;
    // The permission of the caller ends with the token.
    const left = expiresAt.getTime() - clock.now().getTime();
    const waitMs = Math.max(0, Math.min(wait * 1_000, left));
    return await watches.settle(organization, address, { scope, ...options, waitMs, signal });
  }

  /** @param until what ends the wait */
  async function after(
    request: OpenRequest,
    record: ResourceRecord,
    until?: ResourceWaitSettleOptions['until'],
  ): Promise<RouteAnswer> {
    const address = resourceAddress(record);
    const view = callerView(request, deps);
    const outcome = await settled(request, { address, deletion: 'excluded', until });
    if (outcome === undefined) return answerWith(record, { view });
    if (outcome.state === 'gone' || outcome.state === 'deleting') throw resourceNotFound(address);
    return answerWith(outcome.record, { headers: waited(request), view });
  }

  return {
    watch,
    async read({ accept, ...request }, { address, deleting }) {
      const { caller } = request;
      const { project: scope } = caller;
      if (wantsEvents(accept)) {
        const filter = { projectId: scope, deleting: deleting ? ('include' as const) : undefined };
        return watch(request, { filter, address });
      }
      const deletion = deleting ? 'included' : 'excluded';
      const outcome = await settled(request, { address, deletion });
      const view = callerView(request, deps);
      if (outcome === undefined) {
        const record = await resources.get(caller.organization, address, { scope, deleting });
        return answerWith(record, { view });
      }
      if (outcome.state === 'gone' || outcome.state === 'deleting') throw resourceNotFound(address);
      return answerWith(outcome.record, { headers: waited(request), view });
    },
    async applied(request, record) {
      const address = resourceAddress(record);
      const view = callerView(request, deps);
      // An option that held up its deletion was lifted: it is never ready again.
      const isGoing = record.deletionRequestedAt !== null;
      const outcome = isGoing
        ? undefined
        : await settled(request, { address, deletion: 'excluded' });
      await betweenSteps();
      if (outcome === undefined) return answerWith(record, { view });
      if (outcome.state === 'gone' || outcome.state === 'deleting') throw deletedMeanwhile(address);
      return answerWith(outcome.record, { headers: waited(request), view });
    },
    corrected: (request, record) => after(request, record),
    observed: (request, record) => after(request, record, 'observed'),
    async deleted(request, address) {
      const outcome = await settled(request, { address, deletion: 'required' });
      if (outcome === undefined) return noContent;
      if (outcome.state === 'gone') return { ...noContent, headers: waited(request) };
      if (outcome.state === 'settled') throw deletionFailed(outcome.record);
      const detail = `Resource ${slashed(outcome.record)} is still being deleted; repeat the request to wait longer`;
      const body = { detail, code: 'resource_deleting' };
      return json(body, { status: 202, headers: waited(request) });
    },
  };
}

type ResourceWaitSettleOptions = Parameters<ResourceWatches['settle']>[2];

function endWith(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}

/** RFC 7240: the client learns that the server has waited. */
function waited({ wait = 0 }: OpenRequest): Record<string, string> {
  return { 'Preference-Applied': `wait=${wait}` };
}

function tooManyWatches(): FairleadError {
  const message = `The organization has ${maxWatches} open watches; close one, or watch more resources with one request`;
  return new FairleadError('too_many_requests', message, { retryAfter: 5 });
}

function deletedMeanwhile({ text }: ResourceAddress): FairleadError {
  const message = `Resource ${text} was applied, and another request deletes it; apply it again when it is gone`;
  return new FairleadError('resource_deleting', message);
}

function deletionFailed(record: ResourceRecord): FairleadError {
  const cause = record.error ?? record.message ?? record.reason;
  const message = `The deletion of resource ${slashed(record)} has failed: ${cause}; delete it again to try once more, or remove it by force`;
  return new FairleadError('deletion_failed', message);
}
