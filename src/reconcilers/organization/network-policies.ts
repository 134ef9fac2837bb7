// Pure. Builds the NetworkPolicies of a tenant: deny all, then allow the necessary traffic.
import { loopbackAddresses, neverReached, privateAddresses } from '../../domain/addresses.ts';
import { embedded, isSix, withoutContained } from '../../lib/cidr.ts';
import { securePort } from '../../providers/workloads/serving-certificate.ts';
import type { Guard } from './guard-kinds.ts';

export interface NetworkSettings {
  /** Namespace of Fairlead, whose pods send events and serve code. */
  readonly systemNamespace: string;
  /** Ports of Fairlead that tenant pods call: its API, for event keys, and the artifact listener. */
  readonly fairleadPorts: readonly number[];
  /** Addresses of pods, Services, nodes and the API server; private ones are excluded anyway. */
  readonly clusterCidrs: readonly string[];
  /** Addresses of a Fairlead outside the cluster: allowed in both directions. */
  readonly outsideCidrs: readonly string[];
  /** Package registry for builds, if its addresses are private. */
  readonly npmRegistry?: { readonly cidrs: readonly string[]; readonly port: number } | undefined;
}

/** Labels of Fairlead's own pods; the chart sets them. */
const fairleadPods = { 'app.kubernetes.io/name': 'fairlead' };
/** The controller sends events, and the API other requests. */
const senders = ['controller', 'api'].map((component) => ({
  ...fairleadPods,
  'app.kubernetes.io/component': component,
}));

/** @param internet whether fetching packages and calling external systems is allowed */
export function networkPolicies(settings: NetworkSettings, internet: boolean): readonly Guard[] {
  const fairlead = podsIn(settings.systemNamespace, fairleadPods);
  const outside = settings.outsideCidrs.map((cidr) => ({ ipBlock: { cidr } }));
  return [
    networkPolicy('fairlead-default-deny', { policyTypes: ['Ingress', 'Egress'] }),
    networkPolicy('fairlead-events', {
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [...senders.map((each) => podsIn(settings.systemNamespace, each)), ...outside],
          ports: [port(securePort)],
        },
      ],
    }),
    networkPolicy('fairlead-dns', {
      policyTypes: ['Egress'],
      egress: [
        {
          to: [podsIn('kube-system', { 'k8s-app': 'kube-dns' })],
          ports: [port(53, 'UDP'), port(53)],
        },
      ],
    }),
    networkPolicy('fairlead-artifacts', {
      policyTypes: ['Egress'],
      egress: [
        { to: [fairlead], ports: settings.fairleadPorts.map((each) => port(each)) },
        // Ports there belong to a forwarder.
        ...(outside.length === 0 ? [] : [{ to: outside }]),
        ...registryRules(settings),
      ],
    }),
    networkPolicy('fairlead-internet', {
      policyTypes: ['Egress'],
      ...(internet ? { egress: [{ to: internetBlocks(settings.clusterCidrs) }] } : {}),
    }),
  ];
}

function registryRules({ npmRegistry }: NetworkSettings) {
  const { cidrs = [], port: number = 443 } = npmRegistry ?? {};
  if (cidrs.length === 0) return [];
  return [{ to: cidrs.map((cidr) => ({ ipBlock: { cidr } })), ports: [port(number)] }];
}

type Blocks = readonly { readonly ipBlock: { cidr: string; except: readonly string[] } }[];

// Every pass over a build or a provider computes the guards, and settings do not change.
const blocksOf = new WeakMap<readonly string[], Blocks>();

/** Everything except addresses that tenants never reach, private ones, and the cluster itself, for both IP versions. */
function internetBlocks(clusterCidrs: readonly string[]): Blocks {
  const known = blocksOf.get(clusterCidrs);
  if (known !== undefined) return known;
  const all = [...neverReached, ...loopbackAddresses, ...privateAddresses, ...clusterCidrs];
  const four = withoutContained(all.filter((cidr) => !isSix(cidr)));
  // A NAT64 translates back to the same IPv4 addresses.
  const translated = four.map((cidr) => embedded(cidr, 'nat64'));
  const six = withoutContained([...all.filter(isSix), ...translated]);
  const blocks = [
    { ipBlock: { cidr: '0.0.0.0/0', except: four } },
    { ipBlock: { cidr: '::/0', except: six } },
  ];
  blocksOf.set(clusterCidrs, blocks);
  return blocks;
}

function podsIn(namespace: string, labels: Readonly<Record<string, string>>) {
  return {
    // Set by the API server itself: nobody can give their namespace the label of another one.
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: { matchLabels: labels },
  };
}

function port(number: number, protocol: 'TCP' | 'UDP' = 'TCP') {
  return { port: number, protocol };
}

function networkPolicy(name: string, spec: object): Guard {
  return { of: 'networkPolicy', name, content: { spec: { podSelector: {}, ...spec } } };
}
