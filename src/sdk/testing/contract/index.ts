// Checks what Fairlead expects of a type: today's promises about one resource, and those that involve a second resource, a second
// process, a second organization and project, late deliveries, secrets and an unreachable service.

import { marksOf, mask, secretsIn } from '../../../domain/secrets/marks.ts';
import { createSecretMask } from '../../../domain/secrets/mask-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asJson } from '../../as-json.ts';
import { type ContextMask, contextMask } from '../../logs/context-mask.ts';
import { settingSecrets, settingsSchemaOf } from '../../settings.ts';
import { isUsable, unknownType } from '../case.ts';
import { type Findings, findings, shown } from '../findings.ts';
import { type Life, newKey, updateOf } from '../life.ts';
import { checkLife, recordedOutputs } from '../life-promises.ts';
import { expectDeclared, observationOf } from '../observation.ts';
import type { Ending } from '../step.ts';
import { findingAdvice } from './advice.ts';
import { checkIdentity } from './identity.ts';
import { checkLateDeliveries } from './late-deliveries.ts';
import { expectAsMany, expectUnchanged } from './observed-state.ts';
import { checkOrganizations, checkProjects } from './owners.ts';
import { checkPlan } from './plan.ts';
import { schemaProblems } from './schemas.ts';
import {
  type ContractCase,
  type ContractKit,
  type ContractSubject,
  createSubject,
} from './subject.ts';
import { checkUnreachable } from './unreachable.ts';

export type { ContractCase, ContractKit, ObservedResource } from './subject.ts';

/** The promises of resources that can be created. */
const promises: readonly ((subject: ContractSubject) => Promise<void>)[] = [
  checkRepetition,
  checkReplacement,
  checkLateDeliveries,
  checkTogether,
  checkOrganizations,
  checkProjects,
  checkObservation,
  checkIdentity,
  checkPlan,
];

/** @throws AggregateError with one Error for each broken promise */
export async function contract(
  kit: ContractKit,
  typeName: string,
  given: ContractCase,
): Promise<void> {
  const { provider } = kit;
  const found = findings(`Type ${typeName} of provider ${provider.name}`, {
    advice: findingAdvice,
    mask: caseMask(kit, typeName, given),
  });
  await checkTypeContract(kit, typeName, { given, found });
  found.throwIfAny();
}

async function checkTypeContract(
  kit: ContractKit,
  typeName: string,
  { given, found }: { readonly given: ContractCase; readonly found: Findings },
): Promise<void> {
  const type = kit.provider.types.get(typeName);
  if (type === undefined) return found.add(unknownType(kit.provider, typeName));
  if (!isUsable(kit.provider, type, { given, found })) return;
  const subject = createSubject(kit, type, { given, found });
  for (const problem of schemaProblems(kit.provider, typeName)) found.add(problem);
  const created = await checkLife(subject.watchedResource());
  if (created !== undefined) {
    checkSecrets(subject, created);
    for (const promise of promises) await promise(subject);
  }
  await checkEarlierVersions(subject);
  await checkUnreachable(subject);
}

function caseMask(
  { provider, processes }: ContractKit,
  resource: string,
  { config, changed = {}, other = {} }: ContractCase,
): ContextMask {
  const settings = settingSecrets(provider, processes.current().settings);
  const mask = contextMask(provider, { settings, body: { resource } });
  for (const each of [config, changed, other]) mask.add({ config: each });
  return mask;
}

// An answer is lost when the process ends: the next process receives the same event. Fairlead records the last answer.

async function checkRepetition(subject: ContractSubject): Promise<void> {
  const { found, kit, type } = subject;
  const resource = subject.resource();
  const event_id = newKey();
  const outputs = found.outputs(
    'create, before its process ends',
    await resource.send({ event_id }),
  );
  const before = await subject.observe(resource);
  await kit.processes.crash();
  const again = await resource.send({ event_id, attempt: 2 });
  const step = 'create, again in a new process';
  found.same(step, again, outputs, type.onceOnly);
  if (type.onceOnly === undefined) await expectUnchanged(subject, resource, { step, before });
  else await expectAsMany(subject, resource, { step, before });
  const recorded = recordedOutputs(type, again, outputs);
  await resource.send({ event_type: 'DELETE', outputs: recorded ?? {} });
}

// Checks the promises of `observe` beyond one process and one organization, and that it only reads.

async function checkObservation(subject: ContractSubject): Promise<void> {
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

// A secret that a handler received must not be in an output that everybody may read.

function checkSecrets(subject: ContractSubject, outputs: JsonObject): void {
  const { registration, found } = subject;
  if (registration?.outputs_schema === undefined) return;
  const secrets = createSecretMask(caseSecrets(subject, registration.schema));
  const shownToAll = mask(marksOf(registration.outputs_schema), outputs) as JsonObject;
  for (const [name, value] of Object.entries(shownToAll)) {
    if (!secrets.isIn(JSON.stringify(value))) continue;
    found.add(
      `secret in outputs.${name}: expected none, saw a sensitive value that the handler got`,
    );
  }
}

function caseSecrets(
  { kit: { provider, processes }, given }: ContractSubject,
  configSchema: JsonObject,
): readonly string[] {
  const ofConfig = secretsIn(marksOf(configSchema), asJson(given.config));
  const schema = settingsSchemaOf(provider);
  if (schema === undefined) return ofConfig;
  const { settings } = processes.current();
  return [...ofConfig, ...secretsIn(marksOf(schema), asJson(settings))];
}

// An update changes what exists: after a change and back, the resource is what it was.

async function checkReplacement({ resource, found, given }: ContractSubject): Promise<void> {
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
      found.same('update to `changed`, and back', back, outputs, given.volatile);
    }
    await life.send({
      event_type: 'DELETE',
      outputs: back.kind === 'succeeded' ? back.outputs : there.outputs,
    });
  } else await life.send({ event_type: 'DELETE', outputs });
}

// Two resources of a type may be created at the same time, and neither depends on the other.

async function checkTogether({ resource, found, given }: ContractSubject): Promise<void> {
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

// The migrations of a type accept configs of its earlier versions.

async function checkEarlierVersions(subject: ContractSubject): Promise<void> {
  const { earlier = {} } = subject.given;
  for (const [version, configs] of Object.entries(earlier)) {
    for (const config of [configs].flat()) await checkVersion(subject, Number(version), config);
  }
}

async function checkVersion({ found, resource }: ContractSubject, version: number, config: object) {
  const given = { config: asJson(config), schema_version: version };
  const life = resource();
  const ending = await life.send(given);
  const outputs = found.outputs(`create with a config of version ${version}`, ending);
  if (outputs !== undefined) await life.send({ ...given, event_type: 'DELETE', outputs });
}
