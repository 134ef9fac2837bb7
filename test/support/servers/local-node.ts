// Provides a separate control plane with a local node for one test, with queries on both.

import { components } from '../../../src/dev/control-plane.ts';
import { type LocalNode, type LocalNodeOptions, startNode } from '../../../src/dev/node/index.ts';
import { type ContainerStatus, type Pod, podKind, secretKind } from '../../../src/dev/node/pod.ts';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { serviceAccountKind } from '../fixtures/service-account.ts';
import { eventually } from '../runner/eventually.ts';
import { type Kubectl, kubectlFor } from '../tools/kubectl.ts';
import { type OwnControlPlane, ownControlPlane } from './control-plane.ts';

export const testImage = 'fairlead:test';

export interface NodeUnderTest {
  readonly controlPlane: OwnControlPlane;
  readonly kubectl: Kubectl;
  /** Folder of the pods. */
  readonly podsFolder: string;
  startNode(): Promise<void>;
  stopNode(): Promise<void>;
  stop(): Promise<void>;
  /** In the namespace `default`, as kubectl does but without the cost of its start. */
  create(object: KubeObject & Readonly<Record<string, unknown>>): Promise<void>;
  pod(name: string): Promise<Pod>;
  /** What its only container has printed; with `previous`, that of its run before. */
  log(pod: string, previous?: boolean): Promise<string>;
  /** @returns the only pod with the label; throws while there is none */
  podWith(label: string): Promise<Pod>;
}

/** Shortens waits: a kubelet would wait ten seconds after the second crash. */
const impatient = { backoff: { baseMs: 300, capMs: 2_000, steadyMs: 60_000 }, retryMs: 200 };

export async function startTestNode(
  { kubeconfig, dataFolder }: Pick<OwnControlPlane, 'kubeconfig' | 'dataFolder'>,
  overrides: Partial<LocalNodeOptions> = {},
): Promise<LocalNode> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  const node = await startNode({
    client,
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    dataFolder,
    imageRoots: { [testImage]: process.cwd() },
    searchPath: '/usr/local/bin:/usr/bin:/bin',
    ...impatient,
    ...overrides,
  });
  return {
    ...node,
    async stop() {
      await node.stop();
      await client.close();
    },
  };
}

const kindOf: Readonly<Record<string, KindRef>> = {
  Pod: podKind,
  Secret: secretKind,
  Job: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
  Deployment: {
    ...{ group: 'apps', version: 'v1', kind: 'Deployment' },
    ...{ plural: 'deployments', namespaced: true },
  },
};
const namespace = 'default';

/** @param started false for tests that start the node themselves */
export async function nodeUnderTest(started = true): Promise<NodeUnderTest> {
  const controlPlane = await ownControlPlane(components);
  const kubectl = kubectlFor(controlPlane.kubeconfig);
  const client = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  let node: LocalNode | undefined;

  async function start(): Promise<void> {
    node = await startTestNode(controlPlane);
  }

  async function stopNode(): Promise<void> {
    await node?.stop();
    node = undefined;
  }

  if (started) await start();
  // Pods need it for admission; the controller manager creates it once it runs.
  await eventually(() => client.get(serviceAccountKind, { namespace, name: 'default' }));
  return {
    controlPlane,
    kubectl,
    podsFolder: `${controlPlane.dataFolder}/node/pods`,
    startNode: start,
    stopNode,
    async stop() {
      await stopNode();
      await client.close();
      await controlPlane.stop();
    },
    async create(object) {
      const kind = kindOf[object.kind ?? ''];
      if (kind === undefined) throw new Error(`create does not know the kind ${object.kind}`);
      await client.create(kind, { ...object, metadata: { namespace, ...object.metadata } });
    },
    pod: (name) => client.get<Pod>(podKind, { namespace, name }),
    log: (pod, previous = false) =>
      client.raw(`/api/v1/namespaces/${namespace}/pods/${pod}/log?previous=${previous}`),
    async podWith(labelSelector) {
      const [pod] = (await client.list<Pod>(podKind, { namespace, labelSelector })).items;
      if (pod === undefined) throw new Error(`no pod with ${labelSelector} yet`);
      return pod;
    },
  };
}

export interface Wanted {
  /** For `sh -c`. */
  readonly script?: string;
  readonly container?: object;
  readonly spec?: object;
}

export function podSpec({ script = 'true', container = {}, spec = {} }: Wanted) {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 5,
    containers: [shell('main', script, container)],
    ...spec,
  };
}

/** A container that runs a shell script. */
export function shell(name: string, script: string, more: object = {}) {
  const terminationMessagePolicy = 'FallbackToLogsOnError';
  const command = ['sh', '-c', script];
  return { name, image: testImage, command, terminationMessagePolicy, ...more };
}

export function podObject(name: string, wanted: Wanted) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: podSpec(wanted),
  };
}

export function jobObject(name: string, wanted: Wanted, job: object = {}) {
  const template = { metadata: { labels: { app: name } }, spec: podSpec(wanted) };
  const spec = { backoffLimit: 0, template, ...job };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
}

export function mainStatus({ status }: Pod): ContainerStatus {
  const main = status?.containerStatuses?.find(({ name }) => name === 'main');
  if (main === undefined) throw new Error('the pod has no status of its container yet');
  return main;
}
