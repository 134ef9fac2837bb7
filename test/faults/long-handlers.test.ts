// Handlers that run longer than one delivery may be quiet, in a real process of a provider that is frozen and killed, with a
// controller that restarts. No second attempt runs beside the first.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { definitionNameOf } from '../../src/domain/identity.ts';
import type { StreamingClient } from '../../src/kube/client.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { kinds } from '../../src/store/kinds.ts';
import { type FaultFixture, openFixture, type Tenant } from '../support/faults/fault-fixture.ts';
import { apply, name, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const quietMs = 1_000;

let fixture: FaultFixture;
let direct: StreamingClient;
let replica: Replica;
let tenant: Tenant;
let slow: SlowProvider;

interface SlowProvider {
  readonly process: ChildProcess;
  /** The lines of its log, as far as it could write. */
  readonly lines: readonly JsonObject[];
}

async function startSlow(fairlead: string): Promise<SlowProvider & { readonly url: string }> {
  const program = join(import.meta.dirname, '../support/servers/slow-provider.ts');
  const child = spawn(process.execPath, [program, fairlead], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: JsonObject[] = [];
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as JsonObject;
      if (typeof line['url'] === 'string') resolve(line['url']);
      else lines.push(line);
    });
  });
  return { process: child, lines, url };
}

beforeAll(async () => {
  fixture = await openFixture();
  direct = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
  replica = fixture.replica('first', { through: 'direct', eventTimeoutMs: quietMs });
  await replica.start();
  await eventually(async () => expect(await fixture.leader()).toBe('first'));
});
beforeEach(async () => {
  tenant = await fixture.tenant(replica);
  const started = await startSlow(replica.url);
  slow = started;
  const { namespace } = tenant;
  // As kubectl would.
  const type = { spec: { timeoutSeconds: 20 } };
  await direct.patch(kinds.definition, { namespace, name: definitionNameOf('box', 'crate') }, type);
  const endpoint = { spec: { endpoint: started.url } };
  await direct.patch(kinds.provider, { namespace, name: 'box' }, endpoint);
});
afterEach(() => void slow?.process.kill('SIGKILL'));
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await direct?.close();
});

function begun(): readonly unknown[] {
  return slow.lines.filter(({ message }) => message === 'begins').map(({ attempt }) => attempt);
}

function said(): readonly unknown[] {
  const all = slow.lines.map(({ message }) => message);
  return all.filter((each) => each === 'begins' || each === 'ends');
}

async function record(): Promise<JsonObject> {
  return (await tenant.client().read(name)).body as JsonObject;
}

it('ends in its first attempt when it runs three times as long as a delivery may be quiet', async () => {
  await apply(tenant, { ms: 3 * quietMs });
  await reaches(tenant, 'ready');
  expect(begun()).toEqual([1]);
  expect(await record()).toMatchObject({ outputs: { most: 1 } });
});

it('is tried again when its process freezes, and after the first attempt when it wakes up', async () => {
  await apply(tenant, { ms: 15_000 });
  await eventually(() => expect(begun()).toEqual([1]));
  slow.process.kill('SIGSTOP');
  await eventually(async () => {
    expect((await record())['message']).toContain('sent nothing for 1 s');
  });
  slow.process.kill('SIGCONT');
  await reaches(tenant, 'ready');
  expect(said()).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(await record()).toMatchObject({ outputs: { most: 1 } });
});

it('is tried again at once when its process dies', async () => {
  await apply(tenant, { ms: 15_000 });
  await eventually(() => expect(begun()).toEqual([1]));
  slow.process.kill('SIGKILL');
  await reaches(tenant, 'failed');
  expect((await record())['error']).toContain('connection refused');
});

it('is not joined by a second attempt when the controller restarts, although it ignores its signal', async () => {
  await apply(tenant, { ms: 4_000, ignoresSignal: true });
  await eventually(() => expect(begun()).toEqual([1]));
  await replica.drain();
  await replica.start();
  await reaches(tenant, 'ready');
  // The delivery is repeated, and its handler begins when the first has ended.
  expect(said()).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(await record()).toMatchObject({ outputs: { most: 1 } });
});
