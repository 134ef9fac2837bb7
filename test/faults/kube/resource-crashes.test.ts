// The controllers die after each of their writes of a resource's life, on a real API server, and new ones continue. Every event
// keeps its id, every guarantee holds, and the end equals that of an undisturbed run. The long form, with real processes that
// are killed, is in test/faults. Also a write whose response is lost, and operations that are deleted.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventBody } from '../../../src/domain/event.ts';
import type { ArtifactStore } from '../../../src/domain/providers/artifact.ts';
import { createDispatcher, type Dispatcher } from '../../../src/events/dispatch.ts';
import { createSigner, generateEventKey } from '../../../src/events/sign.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { dyingClient } from '../../support/faults/dying-client.ts';
import {
  type FaultFixture,
  judge,
  openFixture,
  quickRetries,
  settled,
  type Tenant,
} from '../../support/faults/fault-fixture.ts';
import { fails, first, type Script, works } from '../../support/faults/history/provider.ts';
import {
  apply,
  attempts,
  failures,
  name,
  reaches,
  type Workload,
} from '../../support/faults/workloads.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import {
  type ControllerProcess,
  startControllers,
} from '../../support/servers/controllers/controllers-of-a-process.ts';
import type { Replica } from '../../support/servers/replica.ts';

const { kubeconfig } = sharedControlPlane();
let real: StreamingClient;
let folder: string;
let artifacts: ArtifactStore;
let dispatcher: Dispatcher;
let fixture: FaultFixture;
let api: Replica;

beforeAll(async () => {
  real = createKubeClient(loadCluster({ kubeconfig }));
  await installDefinitions(real);
  fixture = await openFixture({ kubeconfig });
  await fixture.keepFromLeading();
  api = fixture.replica('api', { through: 'direct' });
  await api.start();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-crashes-'));
  artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  const signer = createSigner(await generateEventKey(), systemClock);
  dispatcher = createDispatcher({
    signer,
    clock: systemClock,
    log: silentLog,
    timeoutMs: 1_000,
    loopback: true,
  });
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await dispatcher?.close();
  await real?.close();
  await rm(folder, { recursive: true, force: true });
});

function controllers(client: StreamingClient): ControllerProcess {
  const policy = { ...quickRetries, maxAttempts: attempts };
  return startControllers(client, { dispatch: dispatcher.dispatch, policy, artifacts });
}

async function prepared({ provider, prepare }: Workload): Promise<Tenant> {
  const tenant = await fixture.tenant(api, provider);
  await prepare?.(tenant);
  return tenant;
}

async function untilSettled(tenant: Tenant, run: Workload['run']): Promise<void> {
  await run(tenant);
  await settled(tenant);
}

/** Lets the controllers die after their n-th write, if they come that far, and others finish. @returns how many there were */
async function dyingAt(lastWrite: number, tenant: Tenant, { run }: Workload): Promise<number> {
  const dying = dyingClient(real, lastWrite);
  let running = controllers(dying.client);
  let over = false;
  const work = untilSettled(tenant, run).finally(() => {
    over = true;
  });
  await eventually(() => expect(over || dying.isDead).toBe(true), 60_000);
  if (dying.isDead) {
    tenant.recorder.fault(`death after write ${lastWrite}`, 10_000);
    await running.stop();
    running = controllers(real);
  }
  await work;
  await running.stop();
  return dying.writes.length;
}

// test/faults/crash-matrix kills the whole service after every write of every workload.
// This one writes dead letters and retries them, too.
const walked = ['a replacement whose two halves fail and are retried'];

it.for(walked)(
  '%s reaches the same end state after a crash of the controllers at any write',
  async (name, context) => {
    const workload = failures[name];
    if (workload === undefined) throw new Error(`There is no workload ${name}`);
    const maker = controllers(real);
    const undisturbed = await prepared(workload);
    await maker.stop();
    const writes = await dyingAt(0, undisturbed, workload);
    const { end } = await judge(context, undisturbed, { quiet: 0 });
    expect(writes).toBeGreaterThan(1);
    const again = controllers(real);
    const disturbed = await Promise.all(Array.from({ length: writes }, () => prepared(workload)));
    await again.stop();
    for (const [index, tenant] of disturbed.entries()) await dyingAt(index + 1, tenant, workload);
    await Promise.all(disturbed.map((tenant) => judge(context, tenant, { clean: end, quiet: 0 })));
  },
);

/** Loses the reply to the status that follows a letter: the failure is recorded, and the controller gets an error. */
function loseTheReplyOfTheFailure({ namespace, recorder }: Tenant): { readonly lost: number } {
  const dropped = { lost: 0 };
  let written = false;
  fixture.proxy.rule(({ verb, plural, path }) => {
    if (verb !== 'write' || !path.includes(`/namespaces/${namespace}/`)) return undefined;
    written ||= plural === 'configmaps';
    if (!written || dropped.lost > 0 || !path.endsWith('/status')) return undefined;
    dropped.lost += 1;
    recorder.fault('the reply to the status of the failure is lost', 10_000);
    return 'drop reply';
  });
  return dropped;
}

it('calls the provider again for a retried letter, although the response to its failure was lost', async (context) => {
  const client = createKubeClient(loadCluster({ kubeconfig: fixture.proxy.kubeconfig }));
  const running = controllers(client);
  const tenant = await fixture.tenant(api, first(1, fails(422)));
  const dropped = loseTheReplyOfTheFailure(tenant);
  await apply(tenant, { size: 1 });
  await reaches(tenant, 'failed');
  expect(dropped.lost).toBe(1);
  const [failed] = tenant.provider.deliveries;
  await eventually(async () => {
    expect((await tenant.client().retry(name, failed?.eventId ?? '')).status).toBe(200);
  });
  await reaches(tenant, 'ready');
  expect(tenant.provider.deliveries.map(({ eventId, attempt }) => ({ eventId, attempt }))).toEqual([
    { eventId: failed?.eventId, attempt: 1 },
    { eventId: failed?.eventId, attempt: 1 },
  ]);
  await judge(context, tenant, { quiet: 0 });
  await running.stop();
  await client.close();
});

const working: Script = () => ({
  status: 202,
  body: { retry_after: 1, message: '40 %', context: { operation: 'op-1' } },
});

it('polls an operation to its end before it sends the deletion', async (context) => {
  const running = controllers(real);
  const events: EventBody[] = [];
  const tenant = await fixture.tenant(api, (event, earlier) => {
    events.push(event);
    return first(3, event.event_type === 'CREATE' ? working : works)(event, earlier);
  });
  await apply(tenant, { size: 1 });
  await eventually(() => expect(events).toHaveLength(1));
  expect((await tenant.client().delete(name)).status).toBe(204);
  await eventually(async () => {
    const { versions } = await tenant.recorder.history();
    expect(versions.at(-1)?.type).toBe('DELETED');
  });
  const operation = { operation: 'op-1' };
  const outputs = { made_by: 'CREATE', generation: 1, config: { size: 1 } };
  const [created, polled] = [events.slice(0, 1), events.slice(1, -1)];
  expect(created).toMatchObject([{ event_type: 'CREATE', context: null }]);
  expect(polled.length).toBeGreaterThanOrEqual(3);
  for (const event of polled) {
    expect(event).toMatchObject({ event_type: 'CREATE', context: operation });
  }
  expect(events.at(-1)).toMatchObject({ event_type: 'DELETE', context: null, outputs });
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(2);
  const { versions } = await tenant.recorder.history();
  expect(JSON.stringify(versions)).toContain(
    'Deletion is waiting for the running CREATE operation to finish: 40 %',
  );
  await judge(context, tenant, { quiet: 0 });
  await running.stop();
});
