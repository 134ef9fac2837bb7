// The controllers die after one of the writes of a redrive, on a real API server, and new ones finish it.
import { afterAll, beforeAll, it } from 'vitest';
import { createKubeClient, type StreamingClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { redriveWithDeath } from '../support/fixtures/dead-letters/redrive-fixture.ts';
import { installDefinitions } from '../support/fixtures/install-definitions.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';

let controlPlane: OwnControlPlane;
let client: StreamingClient;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
  client = createKubeClient(loadCluster(controlPlane));
  await installDefinitions(client);
});
afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});

it.each([1, 2, 3, 5, 7, 9, 12, 20])(
  'a redrive ends alike when the controller dies after write %i',
  async (n) => {
    await redriveWithDeath(client, n);
  },
);
