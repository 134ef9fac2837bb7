// Checks the promises of `plan`: it accepts the configs of the case, which the handlers accept, says the same each time, and changes nothing.
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { shown } from '../findings.ts';
import { plannedBy } from '../kit/planned.ts';
import { type Life, newKey } from '../life.ts';
import { expectUnchanged } from './observed-state.ts';
import type { ContractSubject } from './subject.ts';

export async function checkPlan(subject: ContractSubject): Promise<void> {
  const { type, resource } = subject;
  if (type.plan === undefined) return;
  const life = resource();
  await expectAccepted(subject, life, { step: 'plan of `config`', config: life.config });
  const ending = await life.send({ event_id: newKey() });
  if (ending.kind !== 'succeeded') return;
  const { outputs } = ending;
  const existing = await subject.observe(life);
  const before = { config: life.config, outputs };
  const same = { step: 'plan of what exists', config: life.config, before };
  await expectAccepted(subject, life, same);
  if (life.changed !== undefined) {
    const changed = { step: 'plan of `changed`', config: life.changed, before };
    await expectAccepted(subject, life, changed);
  }
  await expectUnchanged(subject, life, { step: 'plan', before: existing });
  await life.send({ event_type: 'DELETE', outputs });
}

interface PlannedStep {
  readonly step: string;
  readonly config: JsonObject;
  readonly before?: { readonly config: JsonObject; readonly outputs: JsonObject };
}

async function expectAccepted(
  { type, kit: { processes, log }, found }: ContractSubject,
  { name, organization }: Life,
  { step, config, before }: PlannedStep,
): Promise<void> {
  const { version = firstTypeVersion } = type;
  const content = {
    ...{ organization, name, wanted: { config, version } },
    before: before && { ...before, version, outputsVersion: version },
  };
  const ask = () => plannedBy({ type, process: processes.current(), log }, content);
  const plan = await ask();
  if (plan === undefined) return;
  if ('thrown' in plan) {
    found.add(`${step}: expected an answer, saw that ${shown(plan.thrown)}`, plan.thrown);
    return;
  }
  const { refusals, replaces } = plan;
  for (const { path, message } of refusals) {
    found.add(`${step}: expected that it is accepted, saw refuse(${shown(path)}): ${message}`);
  }
  if (before !== undefined && replaces.length > 0) {
    found.add(
      `${step}: expected that it is accepted, saw replace(${replaces.map(shown).join(', ')})`,
    );
  }
  const again = await ask();
  if (canonicalJson(plan as never) === canonicalJson(again as never)) return;
  found.add(`${step}, again: expected the same answer ${shown(plan)}, saw ${shown(again)}`);
}
