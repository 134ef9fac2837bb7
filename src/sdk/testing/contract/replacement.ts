// An update changes what exists: after a change and back, the resource is what it was.
import type { JsonObject } from '../../../lib/json.ts';
import { updateOf } from '../life.ts';
import type { ContractSubject } from './subject.ts';

export async function checkReplacement({ resource, found, given }: ContractSubject): Promise<void> {
  const life = resource();
  const { config, changed } = life;
  if (changed === undefined) return;
  const created = await life.send({});
  if (created.kind !== 'succeeded') return;
  const { outputs } = created;
  const there = await life.send(updateOf(life, { outputs, config: changed }));
  if (there.kind === 'succeeded') {
    const back = await life.send(
      updateOf(life, { outputs: there.outputs, previous: changed, config }),
    );
    // Some changes cannot be undone, such as a growth.
    if (back.kind === 'succeeded') {
      const [before, after] = [outputs, back.outputs].map(lasting(given.volatile));
      const ending = { kind: 'succeeded', outputs: after ?? {} } as const;
      found.same('update to `changed`, and back', ending, before);
    }
    await life.send({
      event_type: 'DELETE',
      outputs: back.kind === 'succeeded' ? back.outputs : there.outputs,
    });
  } else await life.send({ event_type: 'DELETE', outputs });
}

function lasting(volatile: readonly string[] = []) {
  return (outputs: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(outputs).filter(([name]) => !volatile.includes(name)));
}
