// An upgrade from the commit of the snapshot, and back: the real programs of both, one after the other, on one API server. Nothing is
// sent twice, nothing is lost, and each continues what the other began.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kinds } from '../../src/store/kinds.ts';
import { fails, type Script, works } from '../support/faults/history/provider.ts';
import { anInstallation, type Installation } from '../support/releases/installation.ts';
import { hasReleaseBefore } from '../support/releases/release-before.ts';
import { eventually } from '../support/runner/eventually.ts';

const isHere = await hasReleaseBefore();
if (!isHere) {
  process.stderr.write(
    'Skipped: the upgrade and back. The commit of the snapshot is not in the history.\n',
  );
}

let installation: Installation;
const ask: Installation['ask'] = (...asked) => installation.ask(...asked);
const apply: Installation['apply'] = (...wanted) => installation.apply(...wanted);
const become: Installation['become'] = (wanted) => installation.become(wanted);

/** By the last part of the name: `fails-…` until it is repaired, `waits-…` until it is released. */
const released = new Set<string>();
const script: Script = (event, earlier) => {
  const [behaviour = ''] = event.name.split('-');
  if (released.has(behaviour)) return works(event, earlier);
  if (behaviour === 'fails') return fails(422)(event, earlier);
  if (behaviour === 'waits') {
    return { status: 202, body: { retry_after: 0.5, message: 'working', context: { step: 1 } } };
  }
  return works(event, earlier);
};

beforeAll(async () => {
  if (isHere) installation = await anInstallation(script);
}, 120_000);
afterAll(() => installation?.[Symbol.asyncDispose]());

const baseOutput = (output: string) => `\${box/crate/base.outputs.${output}}`;

/** What both releases show of every resource. */
async function shown(): Promise<unknown> {
  const fields = [
    'lifecycle_state',
    'config',
    'outputs',
    'error',
    'project_id',
    'dependencies',
    'tags',
  ];
  return [...(await installation.records()).values()]
    .map((record) => [record.name, ...fields.map((field) => record[field])])
    .sort();
}

/** Subjects and names of the last applies. */
async function appliers(...names: readonly string[]): Promise<unknown> {
  const all = await installation.records();
  return names.flatMap((name) =>
    ['applied_by', 'applied_by_name'].map((each) => all.get(name)?.[each]),
  );
}

const deliveriesTo = (name: string) =>
  installation.provider.deliveries.filter((each) => each.name.endsWith(`/${name}`));
const eventsOf = (name: string) => new Set(deliveriesTo(name).map(({ eventId }) => eventId));

async function deadLetters(): Promise<readonly { resource_name: string; event_id: string }[]> {
  const { status, body } = await ask('GET', '/ops/dead-letter');
  expect(status, JSON.stringify(body)).toBe(200);
  return body as never;
}

async function retry(name: string): Promise<void> {
  const letter = (await deadLetters()).find((each) => each.resource_name === name);
  const { status } = await ask('POST', `/ops/dead-letter/${letter?.event_id}/retry`);
  expect(status).toBe(200);
}

it.skipIf(!isHere)('takes over from the release before, and gives back', async () => {
  await installation.begin('past');
  const namespace = await installation.found();
  const { client, provider } = installation;

  await apply('base', { size: 1 });
  await apply('dependent', { of: baseOutput('made_by') });
  await apply('draft', { size: 1 }, { state: 'draft' });
  await apply('fails-past', { size: 1 });
  await apply('waits-past', { size: 1 });
  await become({ base: 'ready', dependent: 'ready', draft: 'draft', 'fails-past': 'failed' });
  await eventually(() => expect(deliveriesTo('waits-past').length).toBeGreaterThan(1));
  const ofPast = await shown();

  const quiet = ['base', 'dependent', 'draft', 'fails-past'];
  const sent = () => quiet.map((name) => deliveriesTo(name).length);
  const sentByPast = sent();
  await installation.replaceBy('present');
  await become({ base: 'ready', dependent: 'ready', draft: 'draft', 'fails-past': 'failed' });
  expect(await shown()).toEqual(ofPast);
  expect(await appliers('base')).toEqual(['s-1', 'Ada']);
  const polled = deliveriesTo('waits-past').length;
  await eventually(() => expect(deliveriesTo('waits-past').length).toBeGreaterThan(polled), 30_000);
  expect(eventsOf('waits-past').size).toBe(1);
  expect(sent()).toEqual(sentByPast);
  released.add('waits').add('fails');
  await become({ 'waits-past': 'ready' });
  await eventually(async () => {
    const { body } = await ask('GET', '/ops/dead-letter?group_by=error');
    expect(body).toMatchObject([{ count: 1 }]);
  });
  await retry('fails-past');
  await become({ 'fails-past': 'ready' });
  released.clear();

  // A resource keeps the version of its type, and what nobody changes is not sent again.
  const earlier_versions = [{ type_version: 1, schema: { type: 'object' } }];
  const versioned = { provider: 'box', resource: 'crate', description: 'A crate' };
  const registered = { ...versioned, type_version: 2, earlier_versions };
  expect((await ask('POST', '/resources/register', registered)).status).toBe(200);
  const beforeApply = provider.deliveries.length;
  await apply('dependent', { of: baseOutput('made_by') });
  const { body: dependent } = await ask('GET', '/resources/resource:box_crate_dependent');
  expect(dependent).toMatchObject({ type_version: 1, lifecycle_state: 'ready' });
  expect(provider.deliveries.length).toBe(beforeApply);
  expect((await ask('POST', '/resources/register', versioned)).status).toBe(200);

  const { headers } = await ask('GET', '/resources/resource:box_crate_base');
  const same = { 'if-match': headers.get('etag') ?? '' };
  await apply('base', { size: 2 }, { headers: same });
  await eventually(() => expect(eventsOf('dependent').size).toBe(2));
  await become({ base: 'ready', dependent: 'ready' });
  const beforeOptions = provider.deliveries.length;
  const ofDependent = { protected: true, deletion_policy: 'orphan' };
  const dependentConfig = { of: baseOutput('made_by') };
  await apply('dependent', dependentConfig, { options: ofDependent });
  const kept = await ask('DELETE', '/resources/resource:box_crate_dependent?force=true');
  expect(kept).toMatchObject({ status: 409, body: { code: 'resource_protected' } });
  await client.patch(
    kinds.provider,
    { namespace, name: 'box' },
    {
      spec: {
        settings: { secret: 'provider-box-settings', revision: 'a', values: {}, entries: [] },
      },
    },
  );
  expect(provider.deliveries.length, 'options are no content').toBe(beforeOptions);
  await apply('new', { size: 1 });
  const options = { expires_at: '2099-01-01T00:00:00.000Z' };
  await apply('draft-2', { size: 1 }, { state: 'draft', options });
  await apply('fails-present', { size: 1 });
  await apply('waits-present', { size: 1 });
  await become({ new: 'ready', 'draft-2': 'draft', 'fails-present': 'failed' });
  await eventually(() => expect(deliveriesTo('waits-present').length).toBeGreaterThan(1));
  expect(await appliers('base', 'new')).toEqual(['s-1', 'Ada', 's-1', 'Ada']);
  const ofPresent = await shown();

  quiet.push('new', 'draft-2', 'fails-present');
  const sentByPresent = sent();
  await installation.replaceBy('past');
  await become({ base: 'ready', new: 'ready', 'draft-2': 'draft', 'fails-present': 'failed' });
  expect(await shown()).toEqual(ofPresent);
  const polledBack = deliveriesTo('waits-present').length;
  await eventually(
    () => expect(deliveriesTo('waits-present').length).toBeGreaterThan(polledBack),
    30_000,
  );
  expect(eventsOf('waits-present').size).toBe(1);
  expect(sent()).toEqual(sentByPresent);
  released.add('waits').add('fails');
  await become({ 'waits-present': 'ready' });
  await retry('fails-present');
  await apply('draft-2', { size: 2 });
  await apply('draft', { size: 2 });
  await become({ 'fails-present': 'ready', 'draft-2': 'ready', draft: 'ready' });
  const again = await shown();
  const all = provider.deliveries.length;

  await installation.replaceBy('present');
  await become({ base: 'ready', new: 'ready', 'draft-2': 'ready', 'fails-present': 'ready' });
  expect(await shown()).toEqual(again);
  expect(await appliers('new', 'draft')).toEqual(['s-1', 'Ada', 's-1', 'Ada']);
  expect(provider.deliveries.length).toBe(all);
  const back = await installation.records();
  expect(back.get('dependent')).toMatchObject(ofDependent);
  expect(back.get('draft-2')).toMatchObject({ expires_at: options.expires_at });
  const path = '/resources/resource:box_crate_dependent';
  expect((await ask('DELETE', path)).status).toBe(409);
  await apply('dependent', dependentConfig, { options: { protected: false } });
  expect((await ask('DELETE', path)).status).toBe(204);
  await eventually(async () => expect((await installation.records()).has('dependent')).toBe(false));
});
