// An answer is lost when the process ends: the next process receives the same event.
import { newKey } from '../life.ts';
import { expectUnchanged } from './observed-state.ts';
import type { ContractSubject } from './subject.ts';

export async function checkRepetition(subject: ContractSubject): Promise<void> {
  const { found, kit } = subject;
  const resource = subject.resource();
  const event_id = newKey();
  const outputs = found.outputs(
    'create, before its process ends',
    await resource.send({ event_id }),
  );
  const before = await subject.observe(resource);
  await kit.processes.crash();
  const again = await resource.send({ event_id, attempt: 2 });
  found.same('create, again in a new process', again, outputs);
  await expectUnchanged(subject, resource, { step: 'create, again in a new process', before });
  await resource.send({ event_type: 'DELETE', outputs: outputs ?? {} });
}
