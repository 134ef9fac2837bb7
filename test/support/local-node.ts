// A control plane of a test's own with a local node on it, and what tests ask of both.

import { components } from '../../src/dev/control-plane.ts';
import { type LocalNode, type LocalNodeOptions, startNode } from '../../src/dev/node/index.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { silentLog } from '../../src/domain/log.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { type OwnControlPlane, ownControlPlane } from './control-plane.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';

export const testImage = 'fairlead:test';

export interface NodeUnderTest {
  readonly controlPlane: OwnControlPlane;
  readonly kubectl: Kubectl;
  /** Folder of the pods. */
  readonly podsFolder: string;
  stopNode(): Promise<void>;
  startNode(): Promise<void>;
  stop(): Promise<void>;
}

export async function nodeUnderTest(
  overrides: Partial<LocalNodeOptions> = {},
): Promise<NodeUnderTest> {
  const controlPlane = await ownControlPlane(components);
  const client = createKubeClient(loadCluster({ kubeconfig: controlPlane.kubeconfig }));
  let node: LocalNode | undefined;

  async function start(): Promise<void> {
    node = await startNode({
      client,
      clock: systemClock,
      log: silentLog,
      random: Math.random,
      dataFolder: controlPlane.dataFolder,
      imageRoots: { [testImage]: process.cwd() },
      searchPath: '/usr/local/bin:/usr/bin:/bin',
      ...overrides,
    });
  }

  async function stopNode(): Promise<void> {
    await node?.stop();
    node = undefined;
  }

  await start();
  return {
    controlPlane,
    kubectl: kubectlFor(controlPlane.kubeconfig),
    podsFolder: `${controlPlane.dataFolder}/node/pods`,
    startNode: start,
    stopNode,
    async stop() {
      await stopNode();
      await client.close();
      await controlPlane.stop();
    },
  };
}
