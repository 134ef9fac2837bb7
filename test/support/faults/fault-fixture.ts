// Sets up fault tests: service replicas as processes, a fault proxy between them and a real API server, a shared issuer,
// and organizations whose histories are recorded and checked.
import { randomUUID } from 'node:crypto';
import { expect, type TestContext } from 'vitest';
import type { RetryPolicy } from '../../../src/domain/retry.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { leaseNameOf } from '../../../src/kube/leader/shard-leases.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { eventually } from '../runner/eventually.ts';
import { ownControlPlane } from '../servers/control-plane.ts';
import { startLoopbackIssuer } from '../servers/issuers/loopback-issuer.ts';
import { artifactsFolder, createReplica, type Replica } from '../servers/replica.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { endStateOf } from './history/check-endings.ts';
import { checkHistory } from './history/checker.ts';
import { type Script, type ScriptedProvider, scriptedProvider } from './history/provider.ts';
import { type RecordedClient, type Recorder, startRecorder } from './history/recorder.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** A test's contribution to the fault report. */
    faults?: number;
    histories?: number;
    violations?: number;
  }
}

export const quickRetries: RetryPolicy = {
  maxAttempts: 5,
  baseMs: 50,
  capMs: 500,
  retryAfterCapMs: 2_000,
  operationLimitMs: 60_000,
  deletionOperationLimitMs: 30_000,
};

export interface ReplicaOptions {
  /** The path to the API server; defaults to `proxy`. */
  readonly through?: 'proxy' | 'direct';
  readonly policy?: Partial<RetryPolicy>;
  readonly eventTimeoutMs?: number;
  readonly shards?: number;
}

/** An organization with one type `box/crate`, its provider, and a complete record of both. */
export interface Tenant {
  readonly namespace: string;
  readonly provider: ScriptedProvider;
  readonly recorder: Recorder;
  /** Defaults to the replica that created it. */
  client(replica?: Pick<Replica, 'url'>): RecordedClient;
}

export interface FaultFixture extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly proxy: FaultProxy;
  /** Not started. */
  replica(identity: string, options?: ReplicaOptions): Replica;
  /** @param replica one that runs, while some replica leads */
  tenant(replica: Replica, script?: Script): Promise<Tenant>;
  /** Prevents any replica from leading: for tests with controllers of their own. */
  keepFromLeading(): Promise<void>;
  /** The leader of a shard, by default of the first or only one, according to its Lease. */
  leader(shard?: number): Promise<string | undefined>;
}

const leaseKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** @param controlPlane defaults to a separate one: replicas of two labs would process each other's resources */
export async function openFixture(controlPlane?: { kubeconfig: string }): Promise<FaultFixture> {
  const stack = new AsyncDisposableStack();
  const { kubeconfig } = controlPlane ?? (await itsOwn(stack));
  const issuer = await startLoopbackIssuer();
  stack.defer(() => issuer.close());
  const folder = stack.use(await artifactsFolder());
  const proxy = await startFaultProxy(kubeconfig);
  stack.defer(() => proxy.stop());
  const direct = createKubeClient(loadCluster({ kubeconfig }));
  stack.defer(() => direct.close());
  const systemNamespace = `fairlead-${randomUUID().slice(0, 8)}`;

  return {
    kubeconfig,
    proxy,
    replica(identity, { through = 'proxy', policy = {}, eventTimeoutMs = 1_000, shards } = {}) {
      const replica = createReplica({
        kubeconfig: through === 'proxy' ? proxy.kubeconfig : kubeconfig,
        issuers: [issuer.settings],
        systemNamespace,
        identity,
        artifactsFolder: folder.path,
        policy: { ...quickRetries, ...policy },
        eventTimeoutMs,
        workers: 16,
        shards,
        port: 0,
      });
      stack.defer(() => replica.kill());
      return replica;
    },
    async tenant(replica, script) {
      const token = await issuer.token({ org_id: `org-${randomUUID().slice(0, 8)}` });
      const provider = await scriptedProvider(script);
      stack.defer(() => provider.close());
      const namespace = await found(replica.url, token);
      await direct.create(kinds.provider, {
        apiVersion,
        kind: 'Provider',
        metadata: { name: 'box', namespace },
        spec: { provider: 'box', endpoint: provider.url },
      } as never);
      const recorder = await startRecorder({ kubeconfig, namespace, provider });
      stack.defer(() => recorder.stop());
      return {
        namespace,
        provider,
        recorder,
        client: (target = replica) => recorder.client(target, token),
      };
    },
    async keepFromLeading() {
      await direct.create(namespaceKind, { metadata: { name: systemNamespace } });
      await direct.create(leaseKind, {
        metadata: { name: 'fairlead-controller', namespace: systemNamespace },
        spec: { holderIdentity: 'nobody', leaseDurationSeconds: 3_600, leaseTransitions: 1 },
      } as never);
    },
    async leader(shard = 0) {
      const ref = { namespace: systemNamespace, name: leaseNameOf('fairlead-controller', shard) };
      const lease = await direct.get(leaseKind, ref).catch(() => undefined);
      const { holderIdentity } = (lease as { spec?: { holderIdentity?: string } })?.spec ?? {};
      return holderIdentity === '' ? undefined : holderIdentity;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function itsOwn(stack: AsyncDisposableStack): Promise<{ kubeconfig: string }> {
  const controlPlane = await ownControlPlane();
  stack.defer(() => controlPlane.stop());
  return controlPlane;
}

/** The first request of an organization creates its namespace. */
async function found(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ provider: 'box', resource: 'crate', description: 'A crate' });
  return await eventually(async () => {
    const registered = await fetch(`${url}/resources/register`, { method: 'POST', headers, body });
    expect(registered.status).toBe(200);
    const me = await fetch(`${url}/auth/me`, { headers });
    return ((await me.json()) as { namespace: string }).namespace;
  });
}

export interface Judged {
  /** Comparable with that of another run of the same work. */
  readonly end: JsonObject;
}

const quietMs = 1_500;

/** Waits until no acknowledged work is in progress. */
export async function settled({ recorder }: Tenant, withinMs = 30_000): Promise<void> {
  await eventually(async () => {
    const broken = checkHistory(await recorder.history());
    expect(broken.filter(({ invariant }) => invariant === 'I2')).toEqual([]);
  }, withinMs);
}

/**
 * Waits until all work has ended, watches for later writes for a while, and checks the history against every guarantee.
 * @param clean the end of an undisturbed run of the same work
 */
export async function judge(
  { task }: Pick<TestContext, 'task'>,
  tenant: Tenant,
  { clean, quiet = quietMs, withinMs = 30_000 }: JudgeOptions = {},
): Promise<Judged> {
  // The checker below reports unfinished work, together with everything else.
  await settled(tenant, withinMs).catch(() => undefined);
  const { recorder } = tenant;
  recorder.quietFromNow();
  await new Promise((later) => setTimeout(later, quiet));
  const history = await recorder.history();
  const violations = checkHistory(history, clean);
  const { meta } = task;
  meta.faults = (meta.faults ?? 0) + history.faults.length;
  meta.histories = (meta.histories ?? 0) + 1;
  meta.violations = (meta.violations ?? 0) + violations.length;
  expect(
    violations.map(({ invariant, subject, message }) => `${invariant} ${subject}: ${message}`),
  ).toEqual([]);
  return { end: endStateOf(history) };
}

interface JudgeOptions {
  readonly clean?: JsonObject | undefined;
  /** Milliseconds without a write. */
  readonly quiet?: number;
  readonly withinMs?: number;
}
