// How people see the state and the pods of a provider.
import { expect, it } from 'vitest';
import type { Provider } from '../../../src/api/shapes.ts';
import { podsText as podsOfClient } from '../../../src/cli/providers/views.ts';
import { deploymentState } from '../../../src/client/deployment.ts';
import { podsText as podsOfConsole } from '../../../src/console/pages/providers/rollout.ts';

it.each([
  ['progressing', '20260101.000000', 'rolling', 'A version serves, and gets new pods.'],
  ['progressing', null, 'progressing', 'Nothing serves yet.'],
  ['failed', '20260101.000000', 'failed', 'The new pods do not run.'],
  ['available', '20260101.000000', 'available', 'All is well.'],
] as const)('%s with version %s is %s', (status, serving, wanted, reason) => {
  expect(deploymentState({ status, serving_version: serving }), reason).toBe(wanted);
});

it.each([
  [2, 1, '1', '1/1', 'New pods run beside those that they replace.'],
  [1, 3, '1/3', '1/3', 'Two are starting.'],
  [0, 1, '0', '0/1', 'None is ready.'],
])('%i ready pods of %i are %s and %s', (ready, replicas, ofClient, ofConsole, reason) => {
  const provider = {
    ...{ status: 'progressing', ready_replicas: ready, available_replicas: ready, replicas },
  } as Provider;
  expect([podsOfClient(provider), podsOfConsole(provider)], reason).toEqual([ofClient, ofConsole]);
});
