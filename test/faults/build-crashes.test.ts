// The controller dies after each write of a build and of a deployment, on a real API server, and another one finishes.
import { afterAll, beforeAll, it } from 'vitest';
import { type BuildCrashes, openBuildCrashes } from '../support/faults/build-crashes.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';

let controlPlane: OwnControlPlane;
let crashes: BuildCrashes;

beforeAll(async () => {
  controlPlane = await ownControlPlane();
  crashes = await openBuildCrashes(controlPlane.kubeconfig);
});
afterAll(async () => {
  await crashes?.[Symbol.asyncDispose]();
  await controlPlane?.stop();
});

it.each([1, 5, 9, 10, 11, 12, 13, 14])(
  'leaves one Job and a running build when the controller dies after write %i of a push',
  async (n) => {
    await crashes.pushWithDeath(n);
  },
);

it.each([1, 2, 3, 4, 5])(
  'leaves a whole build and one Deployment when the controller dies after write %i of a deployment',
  async (n) => {
    await crashes.deployWithDeath(n);
  },
);
