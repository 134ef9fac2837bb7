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
  hasSameSummary,
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
    // Most holders end soon; and each replica must have seen a dead one for a while.
    if (leftMs > 0) throw setBusy(found.summary.name, Math.min(leftMs, timing.renewMs));
  }

  return {
    async hold(found, { namespace, summary }) {
      requireFree(found);
      const holder = randomUUID();
      const held = { ...summary, isComplete: false, holder, renewals: 0 };
      const beganAt = clock.monotonic();
      const object = await beginHold(deps, found, { namespace, summary: held });
      return heldSet({ ...deps, timing }, { namespace, summary: held, object, beganAt });
    },
    async record(found, at) {
      requireFree(found);
      await beginHold(deps, found, at);
    },
  };
}

function setBusy(name: string, waitMs: number): FairleadError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Another request writes set ${name}; try again`;
  return new FairleadError('set_busy', message, { retryAfter });
}

/** Tries of a first write that does not arrive; a caller may try again as well. */
const attempts = 2;

/** @returns the written object. @throws FairleadError `set_busy` when another request was first */
async function beginHold(
  { client, timing = holdTiming }: HoldDeps,
  found: FoundSet | undefined,
  { namespace, summary }: HoldRequest,
): Promise<SetObject> {
  const object = summaryObject(namespace, summary, found?.object);
  for (let round = 0; round < attempts; round += 1) {
    const written = await putSummary(client, object);
    if (written !== undefined) return written;
    // The answer may have been lost, or the write: then the stored version is still the one that was found.
    const now = await findSummary(client, namespace, summary);
    if (now !== undefined && hasSameSummary(now.object, object)) return now.object;
    if (versionOf(now) !== versionOf(found)) throw setBusy(summary.name, timing.renewMs);
  }
  throw new FairleadError('unavailable', 'The storage does not answer; try again');
}

function versionOf(found: FoundSet | undefined): string | undefined {
  return found?.object.metadata.resourceVersion;
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
  /** Before its first write, which others may have seen before its answer arrived. */
  readonly beganAt: number;
}

function heldSet(
  { client, clock, timing }: Required<HoldDeps> & { readonly timing: HoldTiming },
  { namespace, summary, object, beganAt }: Holding,
): HeldSet {
  let current = object;
  let renewals = 0;
  let renewedAt = beganAt;
  let isLost = false;
  let renewing: Promise<void> | undefined;

  /** The stored summary may still be that of this holder, in another version. */
  async function readAgain(): Promise<FoundSet | undefined> {
    const now = await findSummary(client, namespace, summary);
    if (now !== undefined && now.summary?.holder === summary.holder) current = now.object;
    else isLost = true;
    return now;
  }

  async function renewHold(): Promise<void> {
    if (isLost) return;
    renewals += 1;
    const began = clock.monotonic();
    const before = current;
    const next = summaryObject(namespace, { ...summary, renewals }, before);
    try {
      const written = await putSummary(client, next);
      if (written === undefined) await readAgain();
      else current = written;
      // Others see a renewal as another version.
      const isRenewed = current.metadata.resourceVersion !== before.metadata.resourceVersion;
      if (isRenewed) renewedAt = began;
    } catch {
      // Not renewed: the next one may be, and after a while no write begins any more.
    }
  }

  // One at a time: while the API server does not answer, they would queue up, and the end would wait for all of them.
  const timer = setInterval(() => {
    renewing ??= renewHold().finally(() => {
      renewing = undefined;
    });
  }, timing.renewMs);
  timer.unref();

  /** @returns whether the summary is stored, or is gone when there is none to store */
  async function isEnded(done: SetSummary | undefined): Promise<boolean> {
    const next = done && summaryObject(namespace, done, current);
    const isWritten = await (next === undefined
      ? removeSummary(client, current)
      : putSummary(client, next).then((written) => written !== undefined));
    if (isWritten) return true;
    // The answer may have been lost.
    return hasSameSummary((await readAgain())?.object, next);
  }

  return {
    mayWrite: () => !isLost && clock.monotonic() - renewedAt < timing.stopMs,
    async release(after) {
      clearInterval(timer);
      await renewing;
      const done = after && { ...after, holder: undefined, renewals: 0 };
      for (let round = 0; round < maxRounds && !isLost; round += 1) {
        if (await isEnded(done)) return true;
      }
      return false;
    },
  };
}
