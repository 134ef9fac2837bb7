// One object has one resource over HTTP, by the identity that its type declares. The test writes what reconcilers would.
import { beforeAll, describe, expect, it } from 'vitest';
import { contentHashOf } from '../../../src/store/resources/content.ts';
import { observableTypes } from '../../support/fixtures/observation/observable-types.ts';
import { answer, type Respond } from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';

const on = observableTypes();
const volume = { provider: 'disks', resource: 'volume' };
const type = {
  ...{ ...volume, observe: true, listable: true },
  outputs_schema: { type: 'object', properties: { id: { type: 'string' }, tags: {} } },
  adopt_schema: { type: 'object', properties: { id: { type: 'string' }, zone: {} } },
  identity: { outputs: { id: '/id' }, adopt: { id: '/id' } },
};
const says =
  (body: object): Respond =>
  (_receipt, response) =>
    answer(response, 200, body);
const apply = (name: string, more: object = {}, query = '') =>
  on().admin.post(`/resources/apply${query}`, {
    ...{ ...volume, name, config: {}, lifecycle_state: 'pending', ...more },
  });
const taken = { status: 409, body: { code: 'object_taken' } };

async function settled(name: string, status: object): Promise<void> {
  const { spec } = await on().objects.get(`disks/volume/${name}`);
  await on().objects.says(`disks/volume/${name}`, {
    ...{ state: 'ready', reason: 'Processed', appliedConfig: {}, content: contentHashOf(spec) },
    ...status,
  });
}

beforeAll(async () => {
  const registered = await on().admin.post('/resources/register', type);
  expect(registered, registered.text).toMatchObject({
    status: 200,
    body: { identity: type.identity },
  });
  expect((await apply('made')).status).toBe(200);
  await settled('made', { outputs: { id: 'v-1' } });
  on().provider.respond(says({ items: [{ adopt: { id: 'v-1' } }] }));
  await eventually(async () =>
    expect((await on().admin.get('/resources/types/disks/volume/existing')).body).toMatchObject([
      { managed_by: 'disks/volume/made' },
    ]),
  );
});

describe('an object that a resource created', () => {
  const adopt = { id: 'v-1', zone: 'eu' };
  const asked: Record<string, () => ReturnType<typeof apply>> = {
    'is not imported': () => apply('twin', { adopt }),
    'is in no plan': () => apply('twin', { adopt }, '?dry_run=true'),
    'is not observed': () => apply('twin', { adopt, management: 'observed' }),
    'is not previewed': () =>
      on().admin.post('/resources/preview-import', { ...volume, name: 'twin', adopt }),
    'is not previewed by another name of it': () =>
      on().admin.post('/resources/preview-import', {
        ...volume,
        name: 'twin',
        adopt: { id: 'V1' },
      }),
  };
  it.each(Object.entries(asked))('[K28] %s', async (_name, ask) => {
    on().provider.respond(says({ exists: true, config: {}, outputs: { id: 'v-1' } }));
    const refused = await ask();
    expect(refused, refused.text).toMatchObject(taken);
    expect(refused.text).toContain('disks/volume/made');
  });

  it('[K28] is not taken over by one that observes it', async () => {
    expect((await apply('seen', { management: 'observed' })).status).toBe(200);
    await settled('seen', { reason: 'Found', management: 'Observed', outputs: { id: 'v-1' } });
    await eventually(async () => {
      const changed = await on().admin.patch('/resources/disks/volume/seen?dry_run=true', {
        management: 'managed',
      });
      expect(changed, changed.text).toMatchObject(taken);
    });
  });

  it('lists what nobody has as unmanaged, also with the name of a resource that has another', async () => {
    on().provider.respond(says({ items: [{ adopt: { id: 'v-2' } }, { adopt: { id: 'v-1' } }] }));
    const { body } = await on().admin.get('/resources/types/disks/volume/existing');
    expect(body).toMatchObject([{ managed_by: null }, { managed_by: 'disks/volume/made' }]);
  });
});

const refused: Record<string, readonly [object, readonly string[]]> = {
  'a pointer to nothing': [{ outputs: { id: '/id' }, adopt: { id: '/id/none' } }, ['adopt', 'id']],
  'members that differ': [{ outputs: { id: '/id' }, adopt: { name: '/id' } }, ['adopt']],
  'no pointer': [{ outputs: { id: 'id' }, adopt: { id: '/id' } }, ['outputs', 'id']],
  'no member': [{ outputs: {}, adopt: { id: '/id' } }, ['outputs']],
};
it.each(Object.entries(refused))('a registration has %s', async (_what, [identity, at]) => {
  const given = await on().admin.post('/resources/register', { ...type, identity });
  expect(given, given.text).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'identity', ...at] }] },
  });
});
