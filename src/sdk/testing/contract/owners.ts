// A resource of the same name in another organization is another resource: neither sees anything of the other. In another project, it
// can only come later, when the first is gone and its object stayed, as after a deletion that orphans it: it must not get that object.
import type { JsonObject } from '../../../lib/json.ts';
import { shown } from '../findings.ts';
import { same } from '../kit/late.ts';
import { type Life, newKey, updateOf } from '../life.ts';
import { expectUnchanged } from './observed-state.ts';
import type { ContractSubject } from './subject.ts';

export async function checkOrganizations(subject: ContractSubject): Promise<void> {
  const own = subject.resource();
  const outputs = await created(own);
  if (outputs === undefined) return;
  const before = await subject.observe(own);
  await createForeign(subject, { own, outputs, is: 'organization' });
  const step = 'update after another organization used the same name';
  await expectUnchanged(subject, own, { step, before });
  const next = await own.send(updateOf(own, { outputs }));
  subject.found.same(step, next, outputs);
  await own.send({ event_type: 'DELETE', outputs });
}

export async function checkProjects(subject: ContractSubject): Promise<void> {
  const own = subject.resource();
  const outputs = await created(own);
  if (outputs === undefined) return;
  await createForeign(subject, { own, outputs, is: 'project' });
  await own.send({ event_type: 'DELETE', outputs });
}

interface Owned {
  readonly own: Life;
  readonly outputs: JsonObject;
  /** The difference of the other resource. */
  readonly is: 'organization' | 'project';
}

async function createForeign(subject: ContractSubject, owned: Owned): Promise<void> {
  const { own, is } = owned;
  const owner =
    is === 'project' ? { project_id: 'another' } : { organization_id: `${own.organization}-2` };
  const foreign = subject.resource({ name: own.name });
  const ending = await foreign.send({ ...owner, event_id: newKey() });
  if (ending.kind === 'succeeded') {
    await compareWithControl(subject, owned, ending.outputs);
    await foreign.send({ ...owner, event_type: 'DELETE', outputs: ending.outputs });
  } else if (ending.kind === 'failed' && !ending.terminal) {
    // A name that all owners share may be taken. Another attempt does not change that.
    subject.found.add(
      `create of a name that is taken, in another ${is}: expected success, or fail('already_exists'), saw a retryable failure, ${ending.code}: ${ending.message}`,
    );
  }
}

/** Values that the provider generates for each resource must differ between the two. */
async function compareWithControl(
  { resource, found }: ContractSubject,
  { own, outputs, is }: Owned,
  theirs: JsonObject,
): Promise<void> {
  const control = resource();
  const others = await created(control);
  if (others === undefined) return;
  const renamed = JSON.parse(
    JSON.stringify(others).replaceAll(control.name, own.name),
  ) as JsonObject;
  for (const [name, value] of Object.entries(outputs)) {
    const isGenerated = !same(value, renamed[name]);
    if (!isGenerated || !same(value, theirs[name])) continue;
    found.add(
      `create in another ${is} with the same name: expected another outputs.${name}, saw that of the first, ${shown(value)}`,
    );
  }
  await control.send({ event_type: 'DELETE', outputs: others });
}

async function created(life: Life): Promise<JsonObject | undefined> {
  const ending = await life.send({ event_id: newKey() });
  return ending.kind === 'succeeded' ? ending.outputs : undefined;
}
