// kube-apiserver is killed and restarted repeatedly while two hundred resources are created: every accepted apply is processed in
// the end, and every other one was rejected with an error.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultFixture, judge, openFixture } from '../support/faults/fault-fixture.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';
import type { Replica } from '../support/servers/replica.ts';

const run = promisify(execFile);
const count = 200;
const kills = 5;

let controlPlane: OwnControlPlane;
let fixture: FaultFixture;
let replica: Replica;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
  fixture = await openFixture(controlPlane);
  replica = fixture.replica('only', { through: 'direct' });
  await replica.start();
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await controlPlane?.stop();
});

/** The operator restarts it. */
async function killApiServer(): Promise<void> {
  const { stdout } = await run('ps', ['-eo', 'pid=,args=']);
  const ours = (line: string) =>
    line.includes('kube-apiserver ') && line.includes(controlPlane.dataFolder);
  const pids = stdout
    .split('\n')
    .filter(ours)
    .map((line) => Number.parseInt(line, 10));
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

async function answers(): Promise<void> {
  await eventually(async () => {
    const { status } = await fetch(`${replica.url}/readyz`);
    expect(status).toBe(200);
    expect(await fixture.leader(), replica.log.slice(-1_500)).toBe('only');
  }, 60_000);
}

it('processes two hundred resources while the API server crashes five times', async (context) => {
  const tenant = await fixture.tenant(replica);
  const names = Array.from({ length: count }, (_, index) => `box/crate/r-${index}`);
  const client = tenant.client();
  const share = count / kills;
  for (let round = 0; round < kills; round += 1) {
    const part = names.slice(round * share, (round + 1) * share);
    const applied = Promise.all(part.map((name) => insist(() => client.apply(name, { round }))));
    tenant.recorder.fault('kill -9 of kube-apiserver', 30_000);
    await killApiServer();
    await applied;
    await answers();
  }
  await eventually(async () => {
    const { body } = await client.get('/resources/?lifecycle_state=ready');
    expect(body).toHaveLength(count);
  }, 90_000);
  await reaches(tenant, 'ready', names[0]);
  await judge(context, tenant);
});
