// Two resources of a type may be created at the same time, and neither depends on the other.
import { asJson } from '../as-json.ts';
import { updateOf } from '../life.ts';
import type { Subject } from './subject.ts';

export async function checkTogether({ resource, found, given }: Subject): Promise<void> {
  const first = resource();
  const second = resource({ config: asJson(given.other ?? given.config) });
  const [one, two] = await Promise.all([first.send({}), second.send({})]);
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
