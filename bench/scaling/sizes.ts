// The arithmetic of docs/scaling.md: what a number of organizations and resources means for Kubernetes and for Fairlead. Pure.
import {
  bytesPerResource,
  type Costs,
  measured,
  memoryPerThousand,
  memoryWhenEmpty,
} from './figures.ts';

export interface Size {
  readonly organizations: number;
  readonly resources: number;
}

/** From a trial to ten thousand organizations with a million resources. */
export const sizes: readonly Size[] = [
  { organizations: 10, resources: 1_000 },
  { organizations: 100, resources: 10_000 },
  { organizations: 1_000, resources: 50_000 },
  { organizations: 2_000, resources: 150_000 },
  { organizations: 10_000, resources: 1_000_000 },
];

/** Objects of an organization, with Kubernetes' own: namespace, Organization, default project, guards, root certificates. */
export const objectsPerOrganization = 16;
export const bytesPerOrganization = 14_000;

/** Config of a resource that is taken as usual. */
const configBytes = 550;

/** kube-apiserver compacts etcd every five minutes; what is written until then, and since the last time, is kept. */
const historySeconds = 600;
/** Bytes in the database of etcd for each lifecycle until they are compacted: three versions and an Event. */
const bytesPerLifecycle = 12_000;
/** Live memory of kube-apiserver for each stored byte. */
const memoryPerByte = 5;

/** See docs/scaling.md for the documents. */
export const thresholds = {
  namespaces: 10_000,
  objectsOfKind: 150_000,
  bytesOfKind: 1.5e9,
  etcdBytes: 8 * 2 ** 30,
};

/** Some namespaces are Kubernetes' own, Fairlead's, and those of the cluster's administrators. */
const otherNamespaces = 50;

export interface Needs extends Size {
  readonly objects: number;
  readonly etcdBytes: number;
  readonly apiServerBytes: number;
  /** MiB of one process. */
  readonly controllerMiB: number;
  readonly apiMiB: number;
  /** Until a process that starts has listed all resources, with an API server that has time. */
  readonly startSeconds: number;
  /** Processors of kube-apiserver that one process keeps busy with lists of all resources every 15 minutes. */
  readonly relistProcessors: number;
  /** Clusters by the thresholds of Kubernetes. */
  readonly clusters: number;
}

export function needsOf({ organizations, resources }: Size, costs: Costs = measured): Needs {
  const bytes = resources * bytesPerResource(configBytes);
  const etcdBytes = bytes + organizations * bytesPerOrganization;
  return {
    organizations,
    resources,
    objects: organizations * objectsPerOrganization + resources,
    etcdBytes,
    apiServerBytes: etcdBytes * memoryPerByte,
    controllerMiB: memoryWhenEmpty.controller + (memoryPerThousand.controller * resources) / 1_000,
    apiMiB: memoryWhenEmpty.api + (memoryPerThousand.api * resources) / 1_000,
    startSeconds: (resources * (costs.listMs + costs.parseMs)) / 1_000,
    relistProcessors: (resources * costs.listMs) / 1_000 / relistSeconds,
    clusters: Math.max(
      Math.ceil(organizations / (thresholds.namespaces - otherNamespaces)),
      Math.ceil(resources / thresholds.objectsOfKind),
      Math.ceil(bytes / thresholds.bytesOfKind),
    ),
  };
}

const relistSeconds = 15 * 60;

export interface Rate {
  readonly processors: number;
  /** Lifecycles a second at which the processors of the API server are full. */
  readonly lifecycles: number;
  /** Processes of Fairlead that are needed to do as many; undefined when each is full with the events of all. */
  readonly controllers: number | undefined;
  readonly apis: number | undefined;
  /** History in the database of etcd at that rate. */
  readonly historyBytes: number;
}

/** What an API server with so many processors can do at most. */
export function rateOf(processors: number, costs: Costs = measured): Rate {
  const perLifecycle = costs.createMs + 2 * costs.statusMs;
  const lifecycles = (processors * 1_000) / perLifecycle;
  // Every process parses the events of all, and has the rest of its thread, at 70 %, for its own work.
  const usableMs = 1_000 * maxLoad - lifecycles * 3 * costs.eventMs;
  const replicas = (ms: number) =>
    usableMs < leastUsableMs ? undefined : Math.ceil((lifecycles * ms) / usableMs);
  return {
    processors,
    lifecycles,
    controllers: replicas(costs.lifecycleMs),
    apis: replicas(costs.applyMs),
    historyBytes: lifecycles * historySeconds * bytesPerLifecycle,
  };
}

const maxLoad = 0.7;
/** Milliseconds of a second: with less, a process serves little more than its watches. */
const leastUsableMs = 100;
