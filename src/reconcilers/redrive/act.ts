// Performs the plan of one pass. A canary is recorded before it is sent: after a crash in between its dead letter still
// exists, and the next pass sends it.

import { FairleadError } from '../../domain/errors.ts';
import {
  type Informer,
  type KubeClient,
  keyFor,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { StoredDeadLetter } from '../../store/dead-letters/object.ts';
import { recordRedriveResult } from '../../store/dead-letters/redrive-result.ts';
import { type RedriveObject, saveRedrive } from '../../store/dead-letters/redrives.ts';
import { requeue } from '../../store/dead-letters/requeue.ts';
import { removeSuperseded } from '../../store/dead-letters/state.ts';
import { configMapKind } from '../../store/kinds.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import type { CanarySending, Plan } from './decide.ts';
import { type Remembered, rememberBatch } from './memory.ts';
import { type Observed, sentShowsMs } from './observe.ts';

export interface ActDeps {
  readonly client: KubeClient;
  readonly redrives: Pick<Informer<RedriveObject>, 'remember'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Duration of a batch; the next one waits for its end. */
const batchMs = 1_000;
const atATime = 8;

export async function act(
  plan: Plan,
  observed: Observed,
  { deps, remembered }: { deps: ActDeps; remembered: Remembered },
): Promise<Outcome> {
  const { object, redrive } = observed;
  if (plan.outlook === 'finished') {
    remembered.batches.clear();
    return finishRedrive(plan, observed, deps);
  }
  if (plan.record !== undefined) {
    const next = { ...redrive, causes: plan.record };
    deps.redrives.remember(await saveRedrive(deps.client, object, next));
  }
  for (const cause of plan.heldNow) recordHeld(cause, observed, deps);
  const touched = plan.remove.length + plan.send.length;
  if (touched > 0) remembered.nextBatchAt = deps.clock.monotonic() + batchMs;
  await forEachConcurrently(plan.remove, atATime, async (deadLetter) => {
    await removeSuperseded(deps.client, deadLetter);
  });
  rememberSendings(plan.send, remembered);
  await forEachConcurrently(plan.send, atATime, ({ deadLetter }) =>
    requeueDeadLetter(deadLetter, { deps, remembered }),
  );
  return nextLook(plan, remembered, deps.clock);
}

/** Measured on the clock of the pace: the wall clock may be set at any time. */
export function waitFor(ms: number, clock: Clock): Outcome {
  return waitUntil(new Date(clock.now().getTime() + ms));
}

function nextLook({ outlook, remove, send }: Plan, remembered: Remembered, clock: Clock): Outcome {
  const now = clock.monotonic();
  const isBusy = outlook === 'batch' || remove.length + send.length > 0;
  if (isBusy) return waitFor(Math.max(0, remembered.nextBatchAt - now), clock);
  for (const [uid, at] of remembered.sent) if (now - at >= sentShowsMs) remembered.sent.delete(uid);
  // Changes trigger a pass; but a dead letter that was sent in vain does not change.
  return remembered.sent.size === 0 ? settled : waitFor(sentShowsMs, clock);
}

async function requeueDeadLetter(
  deadLetter: StoredDeadLetter,
  { deps, remembered }: { deps: ActDeps; remembered: Remembered },
): Promise<void> {
  try {
    await requeue(deps.client, deadLetter);
  } catch (thrown) {
    // A concurrent write to its resource; the next pass tries again, and the others need not wait for it.
    if (thrown instanceof FairleadError && thrown.code === 'conflict') return;
    throw thrown;
  }
  remembered.sent.set(deadLetter.uid, deps.clock.monotonic());
}

function rememberSendings(sendings: readonly CanarySending[], remembered: Remembered): void {
  for (const [cause, batch] of Map.groupBy(sendings, (each) => each.cause)) {
    const sent = batch.map(({ deadLetter: { eventId, eventType, resource } }) => ({
      eventId,
      type: eventType,
      resource: keyFor(resource),
    }));
    rememberBatch(remembered, cause, sent);
  }
}

async function finishRedrive(plan: Plan, observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { client, recorder } = deps;
  const { object } = observed;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  await recordResult(plan, observed, deps);
  // Not when it was requested again since: that is a redrive of its own.
  const exactly = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  await client.delete(configMapKind, { name, namespace }, exactly);
  recorder.record(
    { kind: configMapKind, metadata: object.metadata },
    {
      type: 'Normal',
      reason: 'RedriveFinished',
      message: 'All dead letters were retried or are held',
    },
  );
  return settled;
}

/** For people only: a quota that refuses the record must not keep the redrive from its end. */
async function recordResult(
  { heldNow }: Plan,
  { object, redrive }: Observed,
  { client, clock, log }: ActDeps,
): Promise<void> {
  const { causes, accepted } = redrive;
  const heldBefore = Object.keys(causes).filter((key) => causes[key]?.state === 'held');
  const held = [...new Set([...heldBefore, ...heldNow])];
  const { namespace = '' } = object.metadata;
  try {
    await recordRedriveResult(client, namespace, { endedAt: clock.now(), accepted, held });
  } catch (thrown) {
    log.warn(
      { redrive: keyFor(object.metadata), error: thrown },
      'Recording the result of a redrive failed',
    );
  }
}

function recordHeld(cause: string, { object, causes }: Observed, { recorder, log }: ActDeps): void {
  const { live, underWay } = causes.find(({ key }) => key === cause) ?? { live: [], underWay: 0 };
  const message = `The retry failed again; holding ${live.length + underWay} more dead letters with cause ${cause}`;
  log.info(
    { redrive: keyFor(object.metadata), cause },
    'Retried dead letters failed again; holding the rest',
  );
  const about = { kind: configMapKind, metadata: object.metadata };
  recorder.record(about, { type: 'Warning', reason: 'RedriveHeld', message });
}
