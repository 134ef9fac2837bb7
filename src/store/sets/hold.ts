// One request at a time writes a set: the resourceVersion of its summary is the lock. A request that holds it renews the summary, and one
// that has not renewed it for a while writes nothing any more. A newcomer takes the place of a holder whose summary has not changed
// for twice that time by the newcomer's own clock: clocks of two machines are never compared.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import { type KubeClient, keyFor } from '../../kube/api.ts';
import { KubeError } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { configMapKind } from '../kinds.ts';
import { maxRounds, put } from '../put.ts';
import {
  type FoundSet,
  findSummary,
  removeSummary,
  type SetObject,
  type SetSummary,
  summaryObject,
} from './summary.ts';

export interface HoldTiming {
  readonly renewMs: number;
  /** A holder that has not renewed its summary for so long begins no write. */
  readonly stopMs: number;
  /** A holder whose summary has not changed for so long has crashed. */
  readonly deadMs: number;
}

export const holdTiming: HoldTiming = { renewMs: 5_000, stopMs: 15_000, deadMs: 30_000 };

export interface HeldSet {
  /** Returns whether a write may begin. */
  mayWrite(): boolean;
  /** Writes the summary, or deletes it, and lets others hold the set. @returns false when another request holds it meanwhile */
  release(summary: SetSummary | undefined): Promise<boolean>;
}

export interface SetHolds {
  /** @throws FairleadError `set_busy` */
  hold(found: FoundSet | undefined, at: HoldRequest): Promise<HeldSet>;
  /** Writes a summary of a set of which no member changes. @throws FairleadError `set_busy` */
  record(found: FoundSet | undefined, at: HoldRequest): Promise<void>;
}

interface HoldRequest {
  readonly namespace: string;
  readonly summary: SetSummary;
}

interface HoldDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly timing?: HoldTiming | undefined;
}

interface SeenHold {
  readonly version: string | undefined;
  readonly since: number;
}

const maxSeen = 10_000;

export function createSetHolds(deps: HoldDeps): SetHolds {
  const { clock, timing = holdTiming } = deps;
  const seen = new LRUCache<string, SeenHold>({ max: maxSeen });

  function requireFree(found: FoundSet | undefined): void {
    if (found?.summary?.holder === undefined) return;
    const { metadata } = found.object;
    const at = keyFor(metadata);
    const version = metadata.resourceVersion;
    const now = clock.monotonic();
    const before = seen.get(at);
    const since = before !== undefined && before.version === version ? before.since : now;
    seen.set(at, { version, since });
    const leftMs = timing.deadMs - (now - since);
    if (leftMs > 0) throw setBusy(found.summary.name, leftMs);
    seen.delete(at);
  }

  return {
    async hold(found, { namespace, summary }) {
      requireFree(found);
      const holder = randomUUID();
      const held = { ...summary, isComplete: false, holder, renewals: 0 };
      const object = await beginHold(deps, found, { namespace, summary: held });
      return heldSet({ ...deps, timing }, { namespace, summary: held, object });
    },
    async record(found, at) {
      requireFree(found);
      await beginHold(deps, found, at);
    },
  };
}

export function setBusy(name: string, leftMs: number): FairleadError {
  const retryAfter = Math.max(1, Math.ceil(leftMs / 1_000));
  const message = `Another request writes set ${name}; try again`;
  return new FairleadError('set_busy', message, { retryAfter });
}

/** @returns the written object. @throws FairleadError `set_busy` when another request was first */
async function beginHold(
  { client, timing = holdTiming }: HoldDeps,
  found: FoundSet | undefined,
  { namespace, summary }: HoldRequest,
): Promise<SetObject> {
  const written = await putSummary(client, summaryObject(namespace, summary, found?.object));
  if (written !== undefined) return written;
  // The answer may have been lost.
  const now = await findSummary(client, namespace, summary);
  const isOurs = now?.summary?.holder === summary.holder && now?.summary?.at === summary.at;
  if (now !== undefined && isOurs) return now.object;
  throw setBusy(summary.name, timing.renewMs);
}

async function putSummary(client: KubeClient, object: SetObject): Promise<SetObject | undefined> {
  try {
    return await put<SetObject>(client, configMapKind, object);
  } catch (thrown) {
    if (!(thrown instanceof KubeError && thrown.detail === 'quotaExceeded')) throw thrown;
    const message =
      'The organization has reached its limit of ConfigMaps, of which each set needs one; delete dead letters, or ask the administrator to raise limits.configMaps';
    throw new FairleadError('limit_reached', message, { cause: thrown });
  }
}

interface Holding extends HoldRequest {
  readonly object: SetObject;
}

function heldSet(
  { client, clock, timing }: Required<HoldDeps> & { readonly timing: HoldTiming },
  { namespace, summary, object }: Holding,
): HeldSet {
  let current = object;
  let renewals = 0;
  let renewedAt = clock.monotonic();
  let isLost = false;
  let last: Promise<void> = Promise.resolve();

  /** @returns whether the summary that is stored is still that of this holder, in whatever version */
  async function isStillHeld(): Promise<boolean> {
    const now = await findSummary(client, namespace, summary);
    if (now === undefined || now.summary?.holder !== summary.holder) return false;
    current = now.object;
    return true;
  }

  async function renewHold(): Promise<void> {
    if (isLost) return;
    renewals += 1;
    const began = clock.monotonic();
    const next = summaryObject(namespace, { ...summary, renewals }, current);
    try {
      const written = await putSummary(client, next);
      if (written !== undefined) current = written;
      else if (!(await isStillHeld())) isLost = true;
      if (!isLost) renewedAt = began;
    } catch {
      // Not renewed: the next one may be, and after a while no write begins any more.
    }
  }

  const timer = setInterval(() => {
    last = last.then(renewHold);
  }, timing.renewMs);
  timer.unref();

  return {
    mayWrite: () => !isLost && clock.monotonic() - renewedAt < timing.stopMs,
    async release(after) {
      clearInterval(timer);
      await last;
      for (let round = 0; round < maxRounds && !isLost; round += 1) {
        const isDone = await (after === undefined
          ? removeSummary(client, current)
          : summaryWritten(after));
        if (isDone) return true;
        isLost = !(await isStillHeld());
      }
      return false;
    },
  };

  async function summaryWritten(after: SetSummary): Promise<boolean> {
    const done = { ...after, holder: undefined, renewals: 0 };
    return (await putSummary(client, summaryObject(namespace, done, current))) !== undefined;
  }
}
