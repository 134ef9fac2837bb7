// Provides a test file with a client of the shared control plane, as its administrator. Call at the top of the file.
import { afterAll, beforeAll } from 'vitest';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installDefinitions } from '../fixtures/install-definitions.ts';
import { sharedControlPlane } from '../servers/control-plane.ts';

/** @returns a client that is closed after the last test of the file */
export function sharedClient(): StreamingClient {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  afterAll(() => client.close());
  return client;
}

/** As `sharedClient`. The definitions of Fairlead are installed before the first test of the file. */
export function clientWithCrds(): StreamingClient {
  const client = sharedClient();
  beforeAll(() => installDefinitions(client));
  return client;
}
