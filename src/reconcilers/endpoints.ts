// Picks the URL for events of a provider: the external endpoint set by an administrator, else the least busy running pod of the
// version that serves. A terminating pod gets no new event, nor does a pod of another version, whose types are not in force.
import type { Provider } from '../crds/provider.ts';
import { sha256Hex } from '../domain/identity.ts';
import { serverNameOf } from '../domain/providers/serving-certificate.ts';
import { caBundleText } from '../events/ca-bundle.ts';
import type { Proof } from '../events/connections.ts';
import type { Dispatch, ProviderEndpoint } from '../events/dispatch.ts';
import { endpointProblem } from '../events/endpoint-url.ts';
import type { Answer, OutgoingEvent } from '../events/protocol.ts';
import { type Informer, keyFor } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';
import { certificateAnnotation, securePort } from '../providers/workloads/serving-certificate.ts';
import { label } from '../store/kinds.ts';
import { servingVersionOf } from '../store/providers/type-in-force.ts';
import type { createUnblamedEnds } from './crashes/unblamed-ends.ts';
import { isTrue, type Pod } from './workloads.ts';

export interface Endpoints {
  /**
   * @param affinity events with the same text go to the same pod, as long as it takes events; without it, the least busy is
   *   chosen
   */
  find(namespace: string, provider: string, affinity?: string): string | undefined;
  /**
   * @returns until when `find` has an answer, as milliseconds since 1970, if nothing changes: pods lose their place when their
   *   certificate expires, which is no event. 0 without an answer now, Infinity without an end.
   */
  servedUntil(namespace: string, provider: string): number;
  /** @returns the version whose pods get events; undefined for an external provider, and before the first version serves */
  servingVersion(namespace: string, provider: string): string | undefined;
  /** @returns the URLs of the pods that take events of a provider; none for an external provider */
  urls(namespace: string, provider: string): readonly string[];
  /** @returns the pod of a provider behind a URL from `find`; undefined for an external provider */
  podAt(of: { namespace: string; provider: string; url: string }): Pod | undefined;
  /** @returns the version behind a URL from `find`; undefined for an external provider */
  versionAt(of: { namespace: string; provider: string; url: string }): string | undefined;
  /** Returns whether a pod that takes events, of any provider, is at this URL. */
  isPod(url: string): boolean;
  /** @returns what the certificate at a URL from `find` must prove */
  proofAt(of: { namespace: string; provider: string; url: string }): Proof;
  /** Counts an event for `url` while `work` runs. */
  during<T>(url: string, work: () => Promise<T>): Promise<T>;
}

interface EndpointsDeps {
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly pods: Pick<Informer<Pod>, 'items'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { providers, pods } = deps;
  const busy = new Map<string, number>();
  const turns = createRotation();
  const load = (url: string) => busy.get(url) ?? 0;

  // Every pass over a resource asks, and only another version of the Provider has another endpoint.
  const usable = new WeakMap<Provider, boolean>();
  function isUsable(provider: Provider, endpoint: string): boolean {
    const known = usable.get(provider);
    if (known !== undefined) return known;
    const made = endpointProblem(endpoint, provider.spec.caBundle) === undefined;
    usable.set(provider, made);
    return made;
  }

  function ablePods({ metadata: { namespace = '' }, spec, status }: Provider): readonly Pod[] {
    const now = deps.clock.now().getTime();
    return [...pods.items(namespace)].filter(
      (pod) =>
        pod.metadata.labels?.[label.provider] === spec.provider &&
        isOfVersion(pod, status?.deployedVersion) &&
        takesEvents(pod) &&
        // Its answer would be CERT_HAS_EXPIRED, an attempt for nothing: events wait for the renewal.
        certificateExpiry(pod) > now,
    );
  }

  function ofPods(provider: Provider, affinity: string | undefined): string | undefined {
    const urls = ablePods(provider).map(urlOf);
    return affinity === undefined ? leastBusy(urls) : highestRandomWeight(urls, affinity);
  }

  function leastBusy(urls: readonly string[]): string | undefined {
    let best: string | undefined;
    for (const url of urls) {
      if (best === undefined || isBefore(url, best)) best = url;
    }
    return best;
  }

  /** Pods with equally many events: the one that got none for the longest time comes first. */
  function isBefore(url: string, other: string): boolean {
    const difference = load(url) - load(other);
    return difference < 0 || (difference === 0 && turns.of(url) < turns.of(other));
  }

  const podAt: Endpoints['podAt'] = ({ namespace, provider, url }) => {
    for (const pod of pods.items(namespace)) {
      const isOfProvider = pod.metadata.labels?.[label.provider] === provider;
      if (isOfProvider && takesEvents(pod) && urlOf(pod) === url) return pod;
    }
    return undefined;
  };

  return {
    find(namespace, provider, affinity) {
      const found = providers.get(keyFor({ namespace, name: provider }));
      if (found?.spec.provider !== provider) return undefined;
      const { endpoint, version } = found.spec;
      if (endpoint !== undefined) return isUsable(found, endpoint) ? endpoint : undefined;
      return version === undefined ? undefined : ofPods(found, affinity);
    },
    servedUntil(namespace, provider) {
      const found = providers.get(keyFor({ namespace, name: provider }));
      if (found?.spec.provider !== provider) return 0;
      const { endpoint, version } = found.spec;
      if (endpoint !== undefined) return isUsable(found, endpoint) ? Infinity : 0;
      return version === undefined ? 0 : Math.max(0, ...ablePods(found).map(certificateExpiry));
    },
    servingVersion: (namespace, provider) =>
      servingVersionOf(providers.get(keyFor({ namespace, name: provider })))?.version,
    urls(namespace, provider) {
      const found = providers.get(keyFor({ namespace, name: provider }));
      const isHosted = found?.spec.provider === provider && found.spec.version !== undefined;
      return isHosted ? ablePods(found).map(urlOf) : [];
    },
    podAt,
    versionAt: (of) => podAt(of)?.metadata.labels?.[label.version],
    isPod(url) {
      for (const pod of pods.items()) {
        if (takesEvents(pod) && urlOf(pod) === url) return true;
      }
      return false;
    },
    proofAt({ namespace, provider, url }) {
      const { endpoint, caBundle } =
        providers.get(keyFor({ namespace, name: provider }))?.spec ?? {};
      if (endpoint === url)
        return caBundle === undefined ? {} : { caBundle: caBundleText(caBundle) };
      // Another endpoint was configured meanwhile.
      if (!url.startsWith('https:')) return {};
      // The name is of this provider in this namespace, whoever has the address of its pod by now.
      return { serverName: serverNameOf(namespace, provider) };
    },
    async during(url, work) {
      busy.set(url, load(url) + 1);
      turns.take(url);
      try {
        return await work();
      } finally {
        const left = load(url) - 1;
        if (left > 0) busy.set(url, left);
        else busy.delete(url);
      }
    },
  };
}

/** Rendezvous hashing: every replica chooses the same pod, and another pod takes only its share of the keys. */
function highestRandomWeight(urls: readonly string[], key: string): string | undefined {
  const [best] = urls
    .map((url) => ({ url, weight: sha256Hex(`${key} ${url}`) }))
    .sort((left, right) => (left.weight < right.weight ? 1 : -1));
  return best?.url;
}

/** More than there are pods, so that what is forgotten is mostly of pods that have ended. */
const maxTurns = 20_000;

/** Remembers the order in which pods got their last events. */
function createRotation() {
  const last = new Map<string, number>();
  let turn = 0;
  return {
    of: (url: string) => last.get(url) ?? 0,
    take(url: string) {
      last.delete(url);
      turn += 1;
      last.set(url, turn);
      const [oldest] = last.keys();
      if (last.size > maxTurns && oldest !== undefined) last.delete(oldest);
    },
  };
}

/** Sends to the endpoint of a provider in a namespace. */
export type DispatchWithin = (
  event: OutgoingEvent,
  endpoint: Pick<ProviderEndpoint, 'url' | 'limitMs' | 'onAlive' | 'onProgress' | 'shownCode'> & {
    readonly namespace: string;
  },
  signal: AbortSignal,
) => Promise<Answer>;

/**
 * @param onUnblamedEnds receives what pods report beside their answers
 * @returns a dispatch that counts events per endpoint, marks endpoints that are pods, and demands their certificates
 */
export function toEndpoints(
  endpoints: Endpoints,
  dispatch: Dispatch,
  onUnblamedEnds: ReturnType<typeof createUnblamedEnds> = () => undefined,
): DispatchWithin {
  return (event, { namespace, ...target }, signal) => {
    const { url } = target;
    return endpoints.during(url, () => {
      const isPod = () => endpoints.isPod(url);
      const at = { namespace, provider: event.provider, url };
      const proof = endpoints.proofAt(at);
      const reported = (count: number) => {
        const provider = keyFor({ namespace, name: event.provider });
        onUnblamedEnds({ provider, pod: endpoints.podAt(at), count });
      };
      return dispatch(event, { ...target, ...proof, isPod, onUnblamedEnds: reported }, signal);
    });
  };
}

/** As milliseconds since 1970; 0 without a readable time: events are sent to nothing but a certificate. */
function certificateExpiry({ metadata }: Pod): number {
  const expiresAt = Date.parse(metadata.annotations?.[certificateAnnotation.expiresAt] ?? '');
  return Number.isNaN(expiresAt) ? 0 : expiresAt;
}

function takesEvents({ metadata, status }: Pod): boolean {
  const { labels = {}, deletionTimestamp } = metadata;
  if (labels[label.provider] === undefined || labels[label.build] !== undefined) return false;
  if (deletionTimestamp !== undefined || status?.podIP === undefined) return false;
  // A kubelet may leave an ended pod Ready, and its address may be another tenant's by now.
  if (status.phase !== 'Running') return false;
  return isTrue(status.conditions, 'Ready') !== undefined;
}

function isOfVersion({ metadata }: Pod, version: string | undefined): boolean {
  return version !== undefined && metadata.labels?.[label.version] === version;
}

function urlOf({ status }: Pod): string {
  const { podIP: address = '' } = status ?? {};
  const host = address.includes(':') ? `[${address}]` : address;
  return `https://${host}:${securePort}/`;
}
