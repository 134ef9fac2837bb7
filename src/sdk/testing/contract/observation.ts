// Checks the promises of `observe` beyond one process and one organization, and that it only reads.
import { shown } from '../findings.ts';
import { newKey } from '../life.ts';
import { expectDeclared, observationOf } from '../observation.ts';
import { expectUnchanged } from './observed-state.ts';
import type { ContractSubject } from './subject.ts';

export async function checkObservation(subject: ContractSubject): Promise<void> {
  const { found, kit, resource, type } = subject;
  if (type.observe === undefined) return;
  const own = resource();
  const ending = await own.send({ event_id: newKey() });
  if (ending.kind !== 'succeeded') return;
  const recorded = { config: own.config, outputs: ending.outputs };
  const before = await subject.observe(own);
  await kit.processes.crash();
  await expectDeclared(own, 'observe in a new process', recorded);
  await expectUnchanged(subject, own, { step: 'observe', before });
  const foreign = resource({ name: own.name, organization: `${own.organization}-2` });
  const seen = await foreign.send(observationOf({ config: own.config, outputs: {} }), {
    once: true,
  });
  if (seen.kind === 'succeeded' && seen.observed?.exists === true) {
    found.add(
      `observe of the same name in another organization: expected gone(), saw that of the first, ${shown(seen.observed)}`,
    );
  }
  await own.send({ event_type: 'DELETE', outputs: ending.outputs });
}
