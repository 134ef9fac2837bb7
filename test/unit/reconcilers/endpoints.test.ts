import { expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { keyFor } from '../../../src/kube/api.ts';
import { createEndpoints, type Endpoints } from '../../../src/reconcilers/endpoints.ts';
import type { Pod } from '../../../src/reconcilers/workloads.ts';
import { label } from '../../../src/store/kinds.ts';
import { testAuthority } from '../../support/fixtures/authority.ts';
import {
  aPod,
  aProvider,
  aServingPod,
  namespace,
  version,
} from '../../support/fixtures/workloads/workload-builders.ts';

function endpointsOf(provider: Provider | undefined, pods: readonly Pod[] = []): Endpoints {
  const there = (key: string) => key === keyFor({ namespace, name: 'shop' });
  return createEndpoints({
    providers: { get: (key) => (there(key) ? provider : undefined) },
    pods: {
      items: (asked) =>
        pods.filter(({ metadata }) => [metadata.namespace, undefined].includes(asked)),
    },
    clock: { now: () => new Date('2026-01-01T00:01:00Z') },
  });
}

const hosted = aProvider({ spec: { version }, status: { deployedVersion: version } });
const elsewhere = (endpoint: string) => aProvider({ spec: { endpoint } });
const first = aServingPod();
const second = aServingPod({
  metadata: { name: 'provider-shop-2' },
  status: { podIP: '10.0.0.2' },
});
const newer = '20260102.000000';
const rolling = aProvider({ spec: { version: newer }, status: { deployedVersion: version } });
const readySince = (lastTransitionTime: string, podIP = '10.0.0.2'): Pod =>
  aServingPod({
    metadata: {
      name: `provider-shop-${podIP}`,
      labels: { [label.provider]: 'shop', [label.version]: newer },
    },
    status: { podIP, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
  });
const justReady = readySince('2026-01-01T00:00:51Z');
const steady = readySince('2026-01-01T00:00:50Z');
const unready = [{ type: 'Ready', status: 'False' }];
const deletionTimestamp = '2026-01-01T00:00:00Z';

interface Case {
  readonly reason: string;
  readonly provider: Provider | undefined;
  readonly pods?: readonly Pod[];
  readonly want: string | undefined;
}

const cases: Record<string, Case> = {
  'is a ready pod': {
    reason: 'It accepts events.',
    provider: hosted,
    pods: [first],
    want: 'https://10.0.0.1:8443/',
  },
  'is not a terminating pod': {
    reason: 'It could end before it answers.',
    provider: hosted,
    pods: [aServingPod({ metadata: { deletionTimestamp } }), second],
    want: 'https://10.0.0.2:8443/',
  },
  'is not an unready pod': {
    reason: 'Its code may still be loading.',
    provider: hosted,
    pods: [aServingPod({ status: { conditions: unready } }), second],
    want: 'https://10.0.0.2:8443/',
  },
  ...Object.fromEntries(
    ['Failed', 'Succeeded', 'Pending', 'Unknown'].map((phase): [string, Case] => [
      `[Q20] is no pod that is ${phase}, even if it is still Ready`,
      {
        reason: 'Its address may belong to another tenant.',
        provider: hosted,
        pods: [aServingPod({ status: { phase } }), second],
        want: 'https://10.0.0.2:8443/',
      },
    ]),
  ),
  'is not a pod without conditions': {
    reason: 'It has not been probed yet.',
    provider: hosted,
    pods: [aServingPod({ status: { conditions: [] } })],
    want: undefined,
  },
  'is not a pod of a build': {
    reason: 'It has the label of the provider, but runs code that is not deployed.',
    provider: hosted,
    pods: [aPod({ status: { podIP: '10.0.0.3', conditions: first.status?.conditions ?? [] } })],
    want: undefined,
  },
  'is not a pod of another provider': {
    reason: 'It would reject the event.',
    provider: hosted,
    pods: [aServingPod({ metadata: { labels: { [label.provider]: 'box' } } })],
    want: undefined,
  },
  'is not a pod of another namespace': {
    reason: 'Another organization may have a provider of the same name.',
    provider: hosted,
    pods: [aServingPod({ metadata: { namespace: 'fl-other-0123456789ab' } })],
    want: undefined,
  },
  'is a pod of an older version until a newer one is ready': {
    reason: 'Events continue during a deployment.',
    provider: rolling,
    pods: [first],
    want: 'https://10.0.0.1:8443/',
  },
  'is a pod of the older version while one of the newer has just become ready': {
    reason: 'A version that crashes at once must not replace a working one.',
    provider: rolling,
    pods: [justReady, first],
    want: 'https://10.0.0.1:8443/',
  },
  'is a pod of the older version until the newer one has taken over': {
    reason:
      'The types of the newer version are not in force before, however long its pods are ready.',
    provider: rolling,
    pods: [steady, first],
    want: 'https://10.0.0.1:8443/',
  },
  'is not a pod of the newer version before it has taken over': {
    reason:
      'Events wait: the pods of the older version may be back, or the takeover is recorded next.',
    provider: rolling,
    pods: [steady],
    want: undefined,
  },
  'is not a pod of a first version that has not taken over': {
    reason: 'No type of it is in force.',
    provider: aProvider({ spec: { version: newer }, status: { availableReplicas: 1 } }),
    pods: [steady],
    want: undefined,
  },
  'is a pod of the serving version as soon as it is ready again': {
    reason: 'It has already taken over.',
    provider: aProvider({ spec: { version: newer }, status: { deployedVersion: newer } }),
    pods: [justReady],
    want: 'https://10.0.0.2:8443/',
  },
  'is written in brackets for IPv6': {
    reason: 'A colon would begin the port.',
    provider: hosted,
    pods: [aServingPod({ status: { podIP: 'fd00::5' } })],
    want: 'https://[fd00::5]:8443/',
  },
  'is the configured endpoint, with any pods': {
    reason: 'Pods of an earlier version may still terminate.',
    provider: elsewhere('https://shop.example/events'),
    pods: [first],
    want: 'https://shop.example/events',
  },
  'is none for a forbidden endpoint': {
    reason: 'It must not fall back to pods.',
    provider: elsewhere('http://169.254.169.254/'),
    pods: [first],
    want: undefined,
  },
  'is no pod without a certificate': {
    reason: 'Whoever can remove an annotation must not read events.',
    provider: hosted,
    pods: [aServingPod({ metadata: { annotations: {} } })],
    want: undefined,
  },
  'is none with an unreadable caBundle': {
    reason: 'It must not fall back to public authorities.',
    provider: aProvider({ spec: { endpoint: 'https://shop.example/', caBundle: 'bm9uZQ==' } }),
    want: undefined,
  },
  'is none for an unknown provider': {
    reason: 'Its pods are about to be removed.',
    provider: undefined,
    pods: [first],
    want: undefined,
  },
  'is none for an undeployed provider': {
    reason: 'Remaining pods are about to be removed.',
    provider: aProvider(),
    pods: [first],
    want: undefined,
  },
  'is none without pods': { reason: 'They may be starting.', provider: hosted, want: undefined },
};

it.each(Object.entries(cases))('%s', (_name, { reason, provider, pods, want }) => {
  expect(endpointsOf(provider, pods).find(namespace, 'shop'), reason).toBe(want);
});

it('is the pod with the fewest running events', async () => {
  const endpoints = endpointsOf(hosted, [first, second]);
  const answers: (() => void)[] = [];
  const sent: string[] = [];
  const send = () => {
    const url = endpoints.find(namespace, 'shop') ?? '';
    sent.push(url);
    return endpoints.during(url, () => new Promise<void>((answer) => answers.push(answer)));
  };
  const sending = [send(), send(), send()];
  expect(new Set(sent.slice(0, 2)).size, 'One event each').toBe(2);
  const [busiest, idlest] = [sent[0] ?? '', sent[1] ?? ''];
  expect(sent[2]).toBe(busiest);
  expect(endpoints.find(namespace, 'shop')).toBe(idlest);
  for (const index of [0, 2]) answers[index]?.();
  await Promise.all([sending[0], sending[2]]);
  expect(endpoints.find(namespace, 'shop'), 'Its events are answered').toBe(busiest);
  answers[1]?.();
  await sending[1];
});

it('does not count a failed event any more', async () => {
  const endpoints = endpointsOf(hosted, [first, second]);
  const url = endpoints.find(namespace, 'shop') ?? '';
  const refused = endpoints.during(url, () => Promise.reject(new Error('refused')));
  expect(endpoints.find(namespace, 'shop')).not.toBe(url);
  await expect(refused, 'It is for the caller to judge').rejects.toThrow('refused');
  const other = endpoints.find(namespace, 'shop') ?? '';
  await endpoints.during(other, () => Promise.resolve());
  expect(endpoints.find(namespace, 'shop')).toBe(url);
});

it('finds the version of a URL, and none for an external provider', () => {
  const endpoints = endpointsOf(hosted, [first, steady]);
  expect(endpoints.servingVersion(namespace, 'shop')).toBe(version);
  const at = (url: string) => endpoints.versionAt({ namespace, provider: 'shop', url });
  expect(at('https://10.0.0.1:8443/')).toBe(first.metadata.labels?.[label.version]);
  expect(at('https://10.0.0.2:8443/')).toBe(newer);
  expect(at('https://10.0.0.3:8443/')).toBeUndefined();
  expect(at('https://notes.example/')).toBeUndefined();
});

it('[Q16] distinguishes a tenant pod from another address of the cluster', () => {
  const other = aServingPod({
    metadata: { namespace: 'fl-other-0123456789ab' },
    status: { podIP: 'fd00::5', phase: 'Failed' },
  });
  const endpoints = endpointsOf(hosted, [first, other]);
  expect(endpoints.isPod('https://10.0.0.1:8443/')).toBe(true);
  for (const url of [
    'https://10.0.0.1:8444/',
    'https://10.0.0.9:8443/',
    'https://[fd00::5]:8443/',
  ]) {
    expect(endpoints.isPod(url), url).toBe(false);
  }
});

const authority = await testAuthority();
const caBundle = Buffer.from(authority.certificate).toString('base64');
const bundled = aProvider({ spec: { endpoint: 'https://shop.example/', caBundle } });

const proofs = {
  'the name of provider and organization, of a pod': {
    of: hosted,
    url: 'https://10.0.0.1:8443/',
    want: { serverName: `shop.${namespace}.fairlead.internal` },
  },
  'nothing, of an endpoint that was configured before': {
    of: hosted,
    url: 'http://shop.example/',
    want: {},
  },
  'its authorities, of an external provider': {
    of: bundled,
    url: 'https://shop.example/',
    want: { caBundle: authority.certificate },
  },
  'only a public certificate, of an external provider without a caBundle': {
    of: elsewhere('https://shop.example/'),
    url: 'https://shop.example/',
    want: {},
  },
  'the name of a pod that is gone': {
    of: undefined,
    url: 'https://10.0.0.1:8443/',
    want: { serverName: `shop.${namespace}.fairlead.internal` },
  },
};

it.each(Object.entries(proofs))('demands %s', (_name, { of, url, want }) => {
  const endpoints = endpointsOf(of, [first]);
  expect(endpoints.proofAt({ namespace, provider: 'shop', url })).toEqual(want);
});
