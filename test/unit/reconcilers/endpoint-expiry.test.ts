// A pod is an endpoint for as long as its certificate is valid.
import { expect, it } from 'vitest';
import { keyFor } from '../../../src/kube/api.ts';
import { createEndpoints } from '../../../src/reconcilers/endpoints.ts';
import {
  aProvider,
  aServingPod,
  certified,
  namespace,
  version,
} from '../../support/fixtures/workloads/workload-builders.ts';

const expiresAt = '2026-01-01T00:01:00.000Z';
const status = { deployedVersion: version, availableReplicas: 1, certificateExpiresAt: expiresAt };
const provider = aProvider({ spec: { version }, status });
const pod = aServingPod({ metadata: { annotations: certified(expiresAt) } });

const endpointsAt = (now: string) =>
  createEndpoints({
    providers: {
      get: (key) => (key === keyFor({ namespace, name: 'shop' }) ? provider : undefined),
    },
    pods: { items: () => [pod] },
    clock: { now: () => new Date(now) },
  });

it.each([
  { now: '2026-01-01T00:00:59.999Z', url: 'https://10.0.0.1:8443/', until: Date.parse(expiresAt) },
  { now: expiresAt, url: undefined, until: 0 },
  { now: '2026-04-01T00:00:00.000Z', url: undefined, until: 0 },
])('at $now is $url', ({ now, url, until }) => {
  const endpoints = endpointsAt(now);
  expect(endpoints.find(namespace, 'shop')).toBe(url);
  expect(endpoints.servedUntil(namespace, 'shop')).toBe(until);
});
