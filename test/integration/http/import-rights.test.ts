// Who may import: a token of one project reaches no object that another project has, on a real API server and with a real provider.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../../src/crds/project.ts';
import { projectNameOf } from '../../../src/domain/identity.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { observableTypes } from '../../support/fixtures/observation/observable-types.ts';
import { answer } from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import type { ApiCaller } from '../../support/servers/served-api.ts';

const on = observableTypes();
const disk = { provider: 'disks', resource: 'disk' };
const payroll = { id: 'payroll' };
const list = '/resources/types/disks/disk/existing';
let confined: ApiCaller;
let permitted: ApiCaller;

const preview = (caller: ApiCaller, adopt: object = payroll) =>
  caller.post('/resources/preview-import', { ...disk, name: 'x', adopt });
const apply = (caller: ApiCaller, name: string, more: object, query = '') =>
  caller.post(`/resources/apply${query}`, {
    ...{ ...disk, name, config: { size: 1 }, lifecycle_state: 'pending' },
    ...more,
  });

beforeAll(async () => {
  const { admin, api, client, namespace, provider } = on();
  provider.respond((_receipt, response) =>
    answer(response, 200, {
      ...{ exists: true, config: { size: 3 }, outputs: { host: 'h' } },
      items: [{ adopt: payroll, name: 'secret-name' }, { adopt: { id: 'free' } }],
    }),
  );
  for (const name of ['a', 'b', 'c']) {
    const made = await admin.post('/projects', { name, project_id: name });
    expect(made.status, made.text).toBeLessThan(300);
  }
  const change = { spec: { mayImport: true } };
  await client.patch<Project>(kinds.project, { namespace, name: projectNameOf('c') }, change);
  confined = await api.caller(on().organization, { project_id: 'b', roles: ['editor'] });
  permitted = await api.caller(on().organization, { project_id: 'c', roles: ['editor'] });
  // A draft stands for nothing, and hides nothing, however many there are.
  for (const name of Array.from({ length: 9 }, (_, at) => `draft-${at}`)) {
    const draft = { adopt: payroll, lifecycle_state: 'draft' };
    expect((await apply(permitted, name, draft)).status).toBe(200);
  }
  const kept = await apply(admin, 'payroll', { adopt: payroll, project_id: 'a', protected: true });
  expect(kept.status, kept.text).toBe(200);
  await eventually(async () => expect((await preview(admin, { id: 'new' })).status).toBe(200));
  // Its event is over, so that what follows counts no request of it.
  const { id } = kept.body as { readonly id: string };
  await eventually(async () => {
    expect((await admin.get(`/resources/${id}`)).body).toMatchObject({ lifecycle_state: 'ready' });
  });
});

describe('a token of one project', () => {
  const asked: Record<string, () => ReturnType<typeof preview>> = {
    'previews no import': () => preview(confined),
    'lists no existing objects': () => confined.get(list),
    'imports nothing': () => apply(confined, 'm', { adopt: payroll, deletion_policy: 'delete' }),
    'plans no import': () => apply(confined, 'm', { adopt: payroll }, '?dry_run=true'),
    'stores no draft of an import': () =>
      apply(confined, 'm', { adopt: payroll, lifecycle_state: 'draft' }),
    'observes nothing': () => apply(confined, 'm', { management: 'observed' }),
  };
  it.each(Object.entries(asked))('[K28] %s', async (_name, ask) => {
    const before = on().provider.receipts.length;
    const refused = await ask();
    expect(refused, refused.text).toMatchObject({
      status: 403,
      body: { code: 'outside_project' },
    });
    expect(refused.text).not.toMatch(/payroll|secret-name/);
    expect(on().provider.receipts).toHaveLength(before);
  });

  it('creates resources as before', async () => {
    const made = await apply(confined, 'own', { adopt: null, management: 'managed' });
    expect(made.status, made.text).toBe(200);
  });
});

describe('a token of a project with mayImport', () => {
  it('imports', async () => {
    expect((await preview(permitted, { id: 'free' })).status).toBe(200);
    expect((await apply(permitted, 'n', { adopt: { id: 'free' } })).status).toBe(200);
  });

  it('[K28] lists no object that a resource of another project stands for', async () => {
    const listed = await permitted.get(list);
    expect(listed.status, listed.text).toBe(200);
    expect(listed.body).toMatchObject([{ adopt: { id: 'free' } }]);
  });
});

describe('an object that another resource has', () => {
  const asked: Record<string, (caller: ApiCaller) => ReturnType<typeof preview>> = {
    'is not previewed': (caller) => preview(caller),
    'is not imported': (caller) => apply(caller, 'm', { adopt: payroll }),
    'is not imported to be deleted': (caller) =>
      apply(caller, 'm', { adopt: payroll, deletion_policy: 'delete' }),
    'is not observed': (caller) => apply(caller, 'm', { adopt: payroll, management: 'observed' }),
    'is in no plan': (caller) => apply(caller, 'm', { adopt: payroll }, '?dry_run=true'),
  };
  it.each(Object.entries(asked))('[K28] %s', async (_name, ask) => {
    const taken = await ask(on().admin);
    const { detail } = taken.body as { detail: string };
    expect(taken, taken.text).toMatchObject({ status: 409, body: { code: 'object_taken' } });
    expect(detail).toContain('disks/disk/payroll of project a stands for the object');
    const unseen = await ask(permitted);
    expect(unseen, unseen.text).toMatchObject({
      status: 404,
      body: { code: 'object_not_found' },
    });
    expect(unseen.text).not.toMatch(/payroll|project a|host/);
  });

  it('[K28] is for another project like one that does not exist', async () => {
    const { provider } = on();
    const textOf = async () => {
      const { status, headers, body } = await preview(permitted);
      const { request_id: _id, ...said } = body as { request_id: string };
      return { status, type: headers['content-type'], said };
    };
    const unseen = await textOf();
    provider.respond((_receipt, response) => answer(response, 200, { exists: false }));
    expect(await textOf()).toEqual(unseen);
  });

  it('[K28] stays with its resource, which repeats its apply, until that is gone', async () => {
    const { admin, objects } = on();
    const again = { adopt: payroll, project_id: 'a', protected: false };
    expect((await apply(admin, 'payroll', again)).status).toBe(200);
    const draft = await apply(admin, 'm', { adopt: payroll, lifecycle_state: 'draft' });
    expect(draft.status, 'a draft is only stored').toBe(200);
    await objects.hold('disks/disk/payroll');
    expect((await admin.delete('/resources/disks/disk/payroll')).status).toBe(204);
    const leaving = await apply(admin, 'm', { adopt: payroll });
    expect(leaving, leaving.text).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('try again when it is gone') },
    });
    await objects.release('disks/disk/payroll');
    await eventually(async () => {
      const { status, text } = await apply(admin, 'm', { adopt: payroll });
      expect(status, text).toBe(200);
    });
  });
});
