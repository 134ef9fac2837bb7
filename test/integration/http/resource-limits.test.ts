// The maximum number of resources of an organization, on a real API server: further ones are rejected with a helpful message,
// existing ones can be changed, and freed capacity can be used.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let small: ApiCaller;
let other: ApiCaller;

beforeAll(async () => {
  api = await serveApi({ limits: { resources: 2, resourceBytes: '1Mi' } });
  small = await api.caller('small');
  other = await api.caller('other');
});

afterAll(() => api?.close());

const crate = (name: string, more: object = {}) => ({
  ...{ provider: 'box', resource: 'crate', name, config: {} },
  ...more,
});
const apply = (caller: ApiCaller, name: string, more: object = {}) =>
  caller.post('/resources/apply', crate(name, more));

/** The counting cache receives a resource shortly after the answer to its apply. */
async function refused(caller: ApiCaller, max: number): Promise<void> {
  await eventually(async () => {
    const { status, body } = await apply(caller, 'beyond');
    // A resource that was accepted too early is deleted, and another one is tried.
    if (status === 200) await caller.delete('/resources/box:crate:beyond');
    expect(status).toBe(403);
    expect(body).toMatchObject({
      code: 'limit_reached',
      detail: `The organization has reached its limit of ${max} resources; delete some, or ask the administrator to raise limits.resources of the organization`,
    });
  });
}

it('rejects one resource more than the limit, with the limit and the remedy', async () => {
  for (const name of ['first', 'second']) expect((await apply(small, name)).status).toBe(200);
  await refused(small, 2);
});

it('allows reads, changes and repeated applies of existing resources', async () => {
  expect((await apply(small, 'first')).status).toBe(200);
  const changed = await apply(small, 'first', { config: { size: 2 } });
  expect(changed).toMatchObject({ status: 200, body: { config: { size: 2 } } });
});

it('rejects growth beyond the total size, but not a reduction', async () => {
  const caller = await api.caller('heavy');
  const size = (bytes: number) => ({ config: { text: 'x'.repeat(bytes) } });
  const admin = createKubeClient(loadCluster(sharedControlPlane()));
  expect((await apply(caller, 'a', size(250_000))).status).toBe(200);
  const { namespace } = organizationOf(api.issuer.url, 'heavy');
  await admin.patch(
    kinds.organization,
    { name: namespace },
    { spec: { limits: { resources: 10 } } },
  );
  await admin.close();
  const outcome = async (name: string, bytes: number) => {
    const { status, body } = await apply(caller, name, size(bytes));
    return status === 200 ? 'done' : `${status} ${JSON.stringify(body)}`;
  };
  for (const name of ['b', 'c', 'd']) {
    await eventually(async () => expect(await outcome(name, 230_000)).toBe('done'));
  }
  expect(await outcome('e', 20_000)).toBe('done');
  const refusal = /^403 .*limit of 1Mi for all resources together; delete some/;
  await eventually(async () => expect(await outcome('e', 250_000)).toMatch(refusal));
  expect(await outcome('f', 250_000)).toMatch(refusal);
  expect(await outcome('a', 10)).toBe('done');
  await eventually(async () => expect(await outcome('f', 250_000)).toBe('done'));
});

it('rejects a config that etcd could not store twice, and counts what is escaped there', async () => {
  const caller = await api.caller('escaping');
  const angles = (count: number) => ({ config: { text: '<'.repeat(count) } });
  for (const path of ['/resources/apply', '/resources/apply?dry_run=true']) {
    expect(await caller.post(path, crate('angles', angles(140_000)))).toMatchObject({
      status: 413,
      body: {
        code: 'too_large',
        detail: expect.stringMatching(/^The config is too large .* Make the config smaller/),
      },
    });
  }
  expect((await apply(caller, 'angles', angles(100_000))).status).toBe(200);
  const refusal = {
    status: 403,
    body: { code: 'limit_reached', detail: expect.stringContaining('limit of 1Mi for all') },
  };
  await eventually(async () => {
    const { status, body } = await apply(caller, 'more', angles(80_000));
    // Accepted before the cache has the first one.
    if (status === 200) await caller.delete('/resources/box:crate:more');
    expect({ status, body }).toMatchObject(refusal);
  });
});

it('counts each organization separately', async () => {
  expect((await apply(other, 'first')).status).toBe(200);
});

it('accepts the same request after a deletion', async () => {
  expect((await small.delete('/resources/box:crate:second')).status).toBe(204);
  await eventually(async () => expect((await apply(small, 'third')).status).toBe(200));
  await refused(small, 2);
});

it('uses the limits of the Organization object', async () => {
  const admin = createKubeClient(loadCluster(sharedControlPlane()));
  const { namespace } = organizationOf(api.issuer.url, 'other');
  const limits = { resources: 3 };
  await admin.patch(kinds.organization, { name: namespace }, { spec: { limits } });
  await admin.close();
  for (const name of ['second', 'third']) {
    await eventually(async () => expect((await apply(other, name)).status).toBe(200));
  }
  await refused(other, 3);
});
