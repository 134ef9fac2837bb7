// A control plane as in development, with fsync, and service replicas as processes of their own on it: they can be started,
// measured and killed while the control plane and its objects stay.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { crdManifests } from '../../src/crds/manifest.ts';
import { startControlPlane } from '../../src/dev/control-plane.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import { defaultRetryPolicy, type RetryPolicy } from '../../src/domain/retry.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { installCrds } from '../../src/kube/crd-installer.ts';
import { silentLog } from '../../src/lib/log.ts';
import { defaultTenancy } from '../../src/reconcilers/organization/guards.ts';
import { ensureSystemNamespace } from '../../src/store/system.ts';
import { testBinaries } from '../../test/support/servers/control-plane.ts';
import { startLoopbackIssuer } from '../../test/support/servers/issuers/loopback-issuer.ts';
import {
  artifactsFolder,
  createReplica,
  type Replica,
  type ReplicaSettings,
} from '../../test/support/servers/replica.ts';
import { type RawClient, rawClient } from './raw.ts';
import type { Target } from './subject.ts';

const systemNamespace = 'fairlead-system';
const eventTimeoutMs = 30_000;
const workers = 256;
/** Longer than any part. */
const lifeSeconds = 6 * 3_600;

export interface ReplicaOptions
  extends Pick<ReplicaSettings, 'parts' | 'rates' | 'shards' | 'supersededKept'> {
  readonly policy?: Partial<RetryPolicy>;
  readonly eventTimeoutMs?: number;
}

export interface Installation extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly raw: RawClient;
  /** The HTTP interface of etcd. */
  readonly etcd: Pool;
  readonly systemNamespace: string;
  readonly issuer: string;
  /** Not started. */
  replica(identity: string, options?: ReplicaOptions): Replica;
  token(organization: string): Promise<string>;
  /** What a subject needs, with the CPU time of some replicas. */
  target(serving: Replica, measured?: readonly Replica[]): Target;
}

export async function openInstallation(): Promise<Installation> {
  const stack = new AsyncDisposableStack();
  try {
    return await open(stack);
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function open(stack: AsyncDisposableStack): Promise<Installation> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const controlPlane = await startControlPlane({
    dataFolder,
    binaries: await testBinaries(),
    components: ['etcd', 'kube-apiserver'],
  });
  stack.defer(() => controlPlane.stop());
  const { kubeconfig, etcdSocket } = controlPlane;
  await install(kubeconfig);
  const issuer = await startLoopbackIssuer();
  stack.defer(() => issuer.close());
  const artifacts = stack.use(await artifactsFolder());
  const raw = rawClient(kubeconfig);
  stack.defer(() => raw.close());
  const etcd = new Pool('http://localhost', {
    socketPath: etcdSocket,
    connections: 32,
    pipelining: 1,
  });
  stack.defer(() => etcd.destroy());
  const limits = { ...defaultLimits, resources: 1_000_000, resourceBytes: '16Gi' };
  const token = (organization: string) =>
    issuer.token({ org_id: organization, exp: Math.floor(Date.now() / 1_000) + lifeSeconds });

  return {
    kubeconfig,
    raw,
    etcd,
    systemNamespace,
    issuer: issuer.url,
    replica(identity, { policy = {}, ...options } = {}) {
      const replica = createReplica({
        kubeconfig,
        issuers: [issuer.settings],
        systemNamespace,
        identity,
        artifactsFolder: artifacts.path,
        policy: { ...defaultRetryPolicy, ...policy },
        eventTimeoutMs,
        workers,
        port: 0,
        tenancy: { ...defaultTenancy, limits },
        installed: true,
        ...options,
      });
      stack.defer(() => replica.kill());
      return replica;
    },
    token,
    target: (serving, measured = [serving]) => ({
      url: serving.url,
      raw,
      pids: () => measured.flatMap(({ pid }) => pid ?? []),
      token,
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a chart does before the first replica starts. */
async function install(kubeconfig: string): Promise<void> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  await installCrds(client, crdManifests('0.0.0'), { log: silentLog });
  await ensureSystemNamespace(client, systemNamespace);
  await client.close();
}
