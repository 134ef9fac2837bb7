// Two resources of a type may be created at the same time, and neither depends on the other.
import { asJson } from '../as-json.ts';
import { type Life, newKey, updateOf } from '../life.ts';
import type { Ending } from '../step.ts';
import type { ContractSubject } from './subject.ts';

export async function checkTogether({ resource, found, given }: ContractSubject): Promise<void> {
  const first = resource();
  const second = resource({ config: asJson(given.other ?? given.config) });
  const [one, two] = await createBoth(first, second);
  const step = 'create of two resources at the same time';
  const outputs = found.outputs(step, one);
  // Two resources may be unable to have one config: the second one is refused then.
  if (!(two.kind === 'failed' && two.terminal)) found.outputs(step, two);
  if (two.kind === 'succeeded') {
    await second.send({ event_type: 'DELETE', outputs: two.outputs });
  }
  if (outputs === undefined) return;
  const next = await first.send(updateOf(first, { outputs }));
  found.same('update after another resource is deleted', next, outputs);
  await first.send({ event_type: 'DELETE', outputs });
}

/** They may be in each other's way once, such as for a lock: Fairlead retries after random waits, so here one after the other. */
async function createBoth(first: Life, second: Life): Promise<readonly [Ending, Ending]> {
  const [one, two] = [newKey(), newKey()];
  const endings = await Promise.all([
    first.send({ event_id: one }),
    second.send({ event_id: two }),
  ]);
  const retried = async (life: Life, event_id: string, ending: Ending) =>
    ending.kind === 'failed' && !ending.terminal
      ? await life.send({ event_id, attempt: 2 })
      : ending;
  const again = await retried(first, one, endings[0]);
  return [again, await retried(second, two, endings[1])];
}
