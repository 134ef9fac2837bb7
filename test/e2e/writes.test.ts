// Writes of a lifecycle, counted by the API server: three from apply to ready, one more for a change, none without one.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { done } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { Fairlead } from '../support/servers/fairlead.ts';

let fairlead: Fairlead;
let crates: Crates;

beforeAll(async () => {
  // One of its own, as it counts all writes of the API server.
  fairlead = await Fairlead.start({ env: { FAIRLEAD_RETRY_BASE_MS: '100' } });
  crates = await startCrates(fairlead);
  crates.provider.respond(done({ ok: true }));
  await crates.pointAt('box', crates.provider.url);
  await crates.acme.post('/resources/apply', crate('warm'));
  await crates.reaches('warm', 'ready');
  // The control plane still writes its own ConfigMaps after the start.
  await eventually(async () => {
    const before = await writes();
    await pause(1_000);
    expect(await writes()).toBe(before);
  });
});

afterAll(async () => {
  await crates?.close();
  await fairlead?.destroy();
});

const mutating = /verb="(?:POST|PUT|PATCH|APPLY|DELETE)"/;
const ours = /group="fairlead\.dev"|resource="(?:configmaps|secrets)"/;
const events = /resource="events"/;

async function writes(of = ours): Promise<number> {
  const metrics = await fairlead.kubectl('get', '--raw', '/metrics');
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('apiserver_request_total{'))
    .filter((line) => mutating.test(line) && of.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

it('takes three writes from apply to ready, and one Event for the first success', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const before = await writes();
  const eventsBefore = await writes(events);
  for (const name of names) await crates.acme.post('/resources/apply', crate(name));
  for (const name of names) await crates.reaches(name, 'ready');
  expect((await writes()) - before).toBe(3 * names.length);
  await eventually(async () => expect((await writes(events)) - eventsBefore).toBe(names.length));
});

it('takes three for an update, one for its history and one Event, and none for an apply that changes nothing', async () => {
  const before = await writes();
  const eventsBefore = await writes(events);
  await crates.acme.post('/resources/apply', crate('a', { size: 2 }));
  await crates.reaches('a', 'ready');
  for (let times = 0; times < 5; times += 1) {
    await crates.acme.post('/resources/apply', crate('a', { size: 2 }));
  }
  expect((await writes()) - before).toBe(3 + 1);
  await eventually(async () => expect((await writes(events)) - eventsBefore).toBe(1));
});

it('takes none when idle', async () => {
  const all = new RegExp(`${ours.source}|${events.source}`);
  const before = await writes(all);
  // Nothing to wait for: that nothing happens in a time is what is tested.
  await pause(5_000);
  expect((await writes(all)) - before).toBe(0);
});
