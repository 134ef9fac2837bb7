// The controller dies while it builds and deploys, on a real API server, and another one finishes. Two of the deaths:
// test/faults/build-crashes.test.ts has one after every write.
import { afterAll, beforeAll, it } from 'vitest';
import { type BuildCrashes, openBuildCrashes } from '../../support/faults/build-crashes.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

let crashes: BuildCrashes;

beforeAll(async () => {
  crashes = await openBuildCrashes(sharedControlPlane().kubeconfig);
});
afterAll(() => crashes?.[Symbol.asyncDispose]());

it('leaves one Job and a running build when the controller dies after write 11 of a push', async () => {
  await crashes.pushWithDeath(11);
});

it('leaves a whole build and one Deployment when the controller dies after write 2 of a deployment', async () => {
  await crashes.deployWithDeath(2);
});
