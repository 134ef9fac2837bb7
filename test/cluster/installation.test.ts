// Fairlead on a real cluster, from `helm install` to `helm uninstall`, step by step: each builds on the one before.
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { refuseIfInstalled, removeEverything } from '../support/cluster/cleanup.ts';
import type { RealCluster } from '../support/cluster/cluster.ts';
import { Installation } from '../support/cluster/installation.ts';
import { findPlace } from '../support/cluster/real-cluster.ts';
import { ClusterReport } from '../support/cluster/report.ts';
import type { Stage } from '../support/cluster/stage.ts';
import { commandLineClient } from './client.ts';
import { crashes } from './crashes.ts';
import { credentials } from './credentials.ts';
import { firstDay } from './first-day.ts';
import { identity } from './identity.ts';
import { laterDays } from './later-days.ts';
import { scaling } from './scaling.ts';

const image = process.env['FAIRLEAD_TEST_IMAGE'] ?? `fairlead:${manifest.version}`;
const place = await findPlace();

if (place.missing !== undefined) {
  // Reporters do not print the names of what is skipped.
  process.stderr.write(`Skipped, as it needs a cluster: ${place.missing}\n`);
  it.skip(`needs a cluster: ${place.missing}`, () => undefined);
} else {
  describe('on a real cluster', () => {
    const stage: Partial<Stage> = {};
    const report = new ClusterReport();
    let cluster: RealCluster | undefined;
    let ownsDefinitions = false;
    let startedAt = 0;

    beforeAll(async () => {
      cluster = await place.open(image);
      const at = await Installation.at(cluster.kubeconfig, image);
      ownsDefinitions = await refuseIfInstalled(at);
      await report.versions(at, image);
      Object.assign(stage, { at, report });
    });

    beforeEach(() => {
      startedAt = performance.now();
    });

    afterEach(({ task }) => {
      report.step(task.name, task.result?.state !== 'fail', performance.now() - startedAt);
    });

    afterAll(async () => {
      const { at } = stage;
      try {
        if (at !== undefined)
          await removeEverything(at, { image, withDefinitions: ownsDefinitions });
      } finally {
        await at?.close();
        await cluster?.close();
        await report.print();
      }
    });

    firstDay(stage as Stage);
    identity(stage as Stage);
    // Before API pods end: without a bucket they take the code with them, and a new pod of a provider would find none.
    scaling(stage as Stage);
    crashes(stage as Stage);
    credentials(stage as Stage);
    commandLineClient(stage as Stage);
    laterDays(stage as Stage);

    it('removes everything that it created', async () => {
      await removeEverything((stage as Stage).at, { image, withDefinitions: ownsDefinitions });
    });
  });
}
