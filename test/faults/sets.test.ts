// A process is killed while it writes a set. After its restart the set says who has applied it and that it is not complete, and the same
// request finishes once the dead one has held the set for half a minute: each member is created once.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SetWithMembers } from '../../src/api/shapes.ts';
import { holdTiming } from '../../src/store/sets/hold.ts';
import { type FaultFixture, openFixture, type Tenant } from '../support/faults/fault-fixture.ts';
import type { Asked } from '../support/faults/fault-proxy.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const count = 60;
const resources = Array.from({ length: count }, (_each, index) => ({
  ...{ provider: 'box', resource: 'crate', name: `r-${index}` },
  ...{ config: { size: index }, lifecycle_state: 'pending' },
}));

let fixture: FaultFixture;
let replica: Replica;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only');
  await replica.start();
  tenant = await fixture.tenant(replica);
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
});

const isCreation = ({ method, plural }: Asked) => method === 'POST' && plural === 'resources';
const isOfSummary = ({ verb, path }: Asked) =>
  verb === 'write' && path.includes('/configmaps/set-');
const put = () => tenant.client().put('/sets/shop', { resources });
const shown = async () => (await tenant.client().get('/sets/shop')).body as SetWithMembers;

async function killAtCreation(last: number): Promise<void> {
  let creations = 0;
  const forget = fixture.proxy.rule((asked) => {
    if (!isCreation(asked)) return undefined;
    creations += 1;
    return creations === last ? { crash: () => replica.killNow(), before: 'reply' } : undefined;
  });
  expect((await put()).outcome).toBe('info');
  await replica.ended();
  forget();
}

it('finishes a set that a kill -9 has interrupted', async () => {
  await killAtCreation(count / 2);
  await replica.start();
  const half = await shown();
  expect(half).toMatchObject({ complete: false, applied_by: expect.any(String), unlisted: [] });
  expect(Date.now() - Date.parse(half.applied_at ?? '')).toBeLessThan(60_000);
  expect(half.resources).toBeGreaterThan(0);
  expect(half.resources).toBeLessThan(count);

  const before = fixture.proxy.asked.length;
  const beganAt = performance.now();
  const refused = await put();
  expect(refused).toMatchObject({ status: 409, body: { code: 'set_busy' } });
  // The new process has seen the hold for a part of the time only.
  await pause(holdTiming.deadMs * 0.8);
  await eventually(async () => expect((await put()).status).toBe(200));
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(holdTiming.deadMs);
  const asked = fixture.proxy.asked.slice(before);
  expect(asked.filter(isCreation)).toHaveLength(count - half.resources);
  // More when the request takes so long that it renews its hold.
  expect(asked.filter(isOfSummary).length).toBeGreaterThanOrEqual(2);

  await eventually(async () => {
    const set = await shown();
    expect(set).toMatchObject({ complete: true, resources: count, states: { ready: count } });
  });
  const creations = tenant.provider.deliveries.filter(({ eventType }) => eventType === 'CREATE');
  expect(new Set(creations.map(({ eventId }) => eventId)).size).toBe(count);
  const again = fixture.proxy.asked.length;
  expect((await put()).status).toBe(200);
  expect(fixture.proxy.asked.slice(again).filter(isCreation)).toEqual([]);
  expect(fixture.proxy.asked.slice(again).filter(isOfSummary)).toEqual([]);
});
