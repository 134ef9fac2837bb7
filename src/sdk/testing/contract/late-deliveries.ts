// A late delivery, with a lower sequence than one before it, changes nothing: the handler refuses it, or answers with what is there.
import type { EventBody } from '../../../domain/event.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { shown } from '../findings.ts';
import { isChangedBy, same } from '../kit/late.ts';
import { type Life, newKey, updateOf } from '../life.ts';
import { expectUnchanged } from './observed-state.ts';
import type { ContractSubject } from './subject.ts';

export async function checkLateDeliveries(subject: ContractSubject): Promise<void> {
  if (subject.given.fenced === false) return;
  const life = subject.resource();
  const created = await deliveredWhole(life, { event_type: 'CREATE' });
  if (created.outputs === undefined) return;
  const updated = await afterUpdate(subject, life, created);
  await afterDelete(subject, life, updated ?? created.outputs);
}

interface Delivered {
  readonly event: Partial<EventBody>;
  /** Undefined when it failed. */
  readonly outputs: JsonObject | undefined;
}

/** @returns the event as a controller that no longer leads may deliver it once more */
async function deliveredWhole(life: Life, event: Partial<EventBody>): Promise<Delivered> {
  const whole = { event_id: newKey(), ...event };
  const ending = await life.send(whole);
  const outputs = ending.kind === 'succeeded' ? ending.outputs : undefined;
  return { event: { ...whole, sequence: life.sequence() }, outputs };
}

/** @returns the outputs of the update; undefined when there is none */
async function afterUpdate(subject: ContractSubject, life: Life, created: Delivered) {
  const { changed } = life;
  const { outputs } = created;
  if (changed === undefined || outputs === undefined) return undefined;
  const updated = await deliveredWhole(life, updateOf(life, { outputs, config: changed }));
  if (updated.outputs === undefined) return undefined;
  await deliverLate(subject, life, {
    step: 'create that arrives after an update',
    late: created,
    newest: updated.outputs,
  });
  const unchanged = updateOf(life, { outputs: updated.outputs, previous: changed });
  const next = await life.send(unchanged);
  subject.found.same('update after a late create', next, updated.outputs);
  return updated.outputs;
}

async function afterDelete(
  subject: ContractSubject,
  life: Life,
  outputs: JsonObject,
): Promise<void> {
  const deleted = await deliveredWhole(life, { event_type: 'DELETE', outputs });
  if (deleted.outputs === undefined) return;
  const second = await deliveredWhole(life, { event_type: 'CREATE' });
  if (second.outputs === undefined) return;
  const isKept = await deliverLate(subject, life, {
    step: 'delete that arrives after the next create',
    late: deleted,
    newest: second.outputs,
  });
  if (isKept) {
    const next = await life.send(updateOf(life, { outputs: second.outputs }));
    subject.found.same('update after a late delete', next, second.outputs);
  }
  await life.send({ event_type: 'DELETE', outputs: second.outputs });
}

/** @returns whether no mistake was found */
async function deliverLate(
  subject: ContractSubject,
  life: Life,
  { step, late, newest }: { step: string; late: Delivered; newest: JsonObject },
): Promise<boolean> {
  const before = await subject.observe(life);
  const ending = await life.send(late.event);
  if (subject.given.observe !== undefined) {
    return await expectUnchanged(subject, life, { step, before });
  }
  if (ending.kind !== 'succeeded' || late.event.event_type === 'DELETE') return true;
  const own = late.outputs ?? {};
  if (isChangedBy(ending.outputs, { own, newest }) === false) return true;
  const like = same(own, newest) ? 'outputs that do not tell what it did' : shown(ending.outputs);
  subject.found.add(`${step}: expected a failure, or the newest outputs, saw success with ${like}`);
  return false;
}
