// Provides builds with pods that log on command, on the shared control plane of a run, for tests of build logs.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceAccountKind } from '../../src/dev/node/pod.ts';
import type { ArtifactStore } from '../../src/domain/artifact.ts';
import { type Organization, organizationOf } from '../../src/domain/identity.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openArtifactStore } from '../../src/providers/artifacts/index.ts';
import { type BuildLogs, createBuildLogs } from '../../src/store/builds/logs.ts';
import {
  type BuildRecord,
  type BuildStore,
  createBuildStore,
} from '../../src/store/builds/store.ts';
import { kinds, label, namespaceKind } from '../../src/store/kinds.ts';
import { sharedControlPlane } from './control-plane.ts';
import { installDefinitions } from './install-definitions.ts';
import { type LogNode, type PodUnderTest, startLogNode } from './kubelet-logs.ts';

export interface BuildLogFixture {
  readonly organization: Organization;
  readonly client: StreamingClient;
  readonly builds: BuildStore;
  readonly artifacts: ArtifactStore;
  /** The artifact folder. */
  readonly folder: string;
  readonly logs: BuildLogs;
  readonly node: LogNode;
  build(provider?: string): Promise<BuildRecord>;
  /** The pod of a build, with nothing started. */
  pod(build: BuildRecord): Promise<PodUnderTest>;
  /** Writes the status of a build. */
  report(build: BuildRecord, status: object): Promise<BuildRecord>;
  close(): Promise<void>;
}

const pollMs = 100;

export async function buildLogFixture(log: Log = silentLog): Promise<BuildLogFixture> {
  const { kubeconfig } = sharedControlPlane();
  const client = createKubeClient(loadCluster({ kubeconfig }));
  await installDefinitions(client);
  const unique = randomUUID().slice(0, 8);
  const organization = organizationOf('https://issuer.test', `logs-${unique}`);
  const { namespace } = organization;
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace } });
  // Every pod needs one, and nothing here creates it.
  await client.create<KubeObject>(serviceAccountKind, { metadata: { name: 'default', namespace } });
  const node = await startLogNode(client, { kubeconfig, name: `logs-${unique}` });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-logs-'));
  const artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  const builds = createBuildStore({ client, clock: systemClock });
  const logs = createBuildLogs({ client, builds, artifacts, log, pollMs });

  async function report({ jobName, provider }: BuildRecord, status: object) {
    const object = await client.get<KubeObject>(kinds.build, { namespace, name: jobName });
    await client.replaceStatus(kinds.build, { ...object, status });
    return await builds.get(organization, provider, jobName);
  }

  return {
    organization,
    client,
    builds,
    artifacts,
    folder,
    logs,
    node,
    build: (provider = 'box') =>
      builds.create(organization, provider, { digest: `sha256:${'0'.repeat(64)}`, size: 1 }),
    async pod(build) {
      const { jobName } = build;
      const labels = { [label.build]: jobName };
      const pod = await node.pod(namespace, `${jobName}-abcde`, labels);
      const { publish } = pod.containers;
      // Does what the reconciler does when the last container has ended.
      const exit = async () => {
        await publish.exit();
        await report(build, { phase: 'success' });
      };
      return { ...pod, containers: { ...pod.containers, publish: { ...publish, exit } } };
    },
    report,
    async close() {
      logs.close();
      await node.close();
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Collects the output of a reader, so that a test can wait for a part of it. */
export function reading(pieces: AsyncIterable<Uint8Array>): {
  readonly text: () => string;
  readonly ended: Promise<string>;
} {
  const got: Uint8Array[] = [];
  const text = () => Buffer.concat(got).toString();
  async function read(): Promise<string> {
    for await (const piece of pieces) got.push(piece);
    return text();
  }
  const ended = read();
  ended.catch(() => undefined);
  return { text, ended };
}
