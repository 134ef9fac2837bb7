// Sends the requests of the API to providers: to a ready pod of the version that serves, or to the endpoint of one that runs
// elsewhere, as the controller finds them. Every API process does so with a key of its own.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FairleadError } from '../../domain/errors.ts';
import { type AskedType, planLimitMs } from '../../domain/event.ts';
import type { Organization } from '../../domain/identity.ts';
import type {
  AskProvider,
  ProviderReply,
  ProviderRequest,
} from '../../domain/providers/provider-request.ts';
import { createDispatcher } from '../../events/dispatch.ts';
import type { Signer } from '../../events/sign.ts';
import type { ClusterAccess } from '../../kube/config.ts';
import { createFairShares } from '../../lib/fair-shares.ts';
import { createEndpoints } from '../../reconcilers/endpoints.ts';
import { type Pod, podKind } from '../../reconcilers/workloads.ts';
import { publishedAuthorities } from '../../store/authorities.ts';
import { label } from '../../store/kinds.ts';
import type { AppContext } from '../context.ts';
import { clusterCidrsOf, destinationRules } from '../destinations.ts';

/** Milliseconds for one request and its repetitions. */
const limitMs: Readonly<Record<AskedType, number>> = {
  MIGRATE: 15_000,
  CHECK: 30_000,
  LIST: 30_000,
  OBSERVE: 30_000,
  // An apply waits for it.
  PLAN: planLimitMs + 1_000,
};

/** A provider that lacks the key of this process fetches the keys again at most every five seconds. */
const keyPauseMs = 5_500;

/** Opens connections on the stack, which closes them. @throws KubeError */
export async function openProviderRequests(
  stack: AsyncDisposableStack,
  context: AppContext & { readonly signer: Signer },
  cluster: Pick<ClusterAccess, 'server'>,
): Promise<AskProvider> {
  const { settings, signer, kubeDeps, caches } = context;
  const { client, clock, log } = kubeDeps;
  const clusterCidrs = await clusterCidrsOf(context, cluster);
  let trusted: readonly string[] = [];
  const dispatcher = createDispatcher({
    signer,
    clock,
    log,
    ...destinationRules(settings, { ...cluster, clusterCidrs }),
    authorities: () => trusted,
  });
  stack.defer(() => dispatcher.close());
  const turns = createProviderTurns();

  async function trustPublished(): Promise<void> {
    const published = await publishedAuthorities({ client, namespace: settings.systemNamespace });
    if (published.join('') !== trusted.join('')) trusted = published;
  }

  /** The endpoints of the pods now: the API keeps no cache of the pods of all tenants. */
  async function endpointsIn(namespace: string, provider: string) {
    const labelSelector = `${label.managedBy}=fairlead,${label.provider}=${provider},!${label.build}`;
    const { items } = await client.list<Pod>(podKind, { namespace, labelSelector });
    return createEndpoints({ ...caches, pods: { items: () => items.values() }, clock });
  }

  async function askOnce(
    { id: organizationId, namespace }: Organization,
    request: ProviderRequest,
    signal: AbortSignal,
  ): Promise<ProviderReply> {
    const { provider } = request;
    const [endpoints] = await Promise.all([endpointsIn(namespace, provider), trustPublished()]);
    const url = endpoints.find(namespace, provider);
    if (url === undefined) {
      const message = `No process of provider ${provider} is ready`;
      return { kind: 'unavailable', message, unsent: 'no_process' };
    }
    const proof = endpoints.proofAt({ namespace, provider, url });
    const target = { url, ...proof, isPod: () => endpoints.isPod(url) };
    const id = `req-${randomUUID()}`;
    return await dispatcher.ask({ id, organizationId, request }, target, signal);
  }

  return async (organization, request, closed) => {
    using turn = turns.take(organization.namespace, request.event_type);
    if (turn === undefined) {
      const message = 'Providers work on other requests';
      return { kind: 'unavailable', message, unsent: 'busy' };
    }
    const ends = clock.monotonic() + limitMs[request.event_type];
    const signal = AbortSignal.any([closed, AbortSignal.timeout(limitMs[request.event_type])]);
    for (;;) {
      const reply = await askOnce(organization, request, signal);
      const lacksKey = reply.kind === 'unavailable' && reply.code === 'keys_unavailable';
      if (!lacksKey || clock.monotonic() + keyPauseMs > ends) return reply;
      await pause(keyPauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

// Limits the open requests of one process to providers: a provider that never answers holds up nobody else, and neither do the
// providers of several organizations.

const openOfOne = 8;
/** With answers of at most 512 KiB each. */
const openOfAll = 128;
/** The slots that only CHECK may have: it guards a write, and the other requests only read, which can happen a little later. */
const openOfChecks = 16;

interface ProviderTurns {
  /**
   * @returns undefined when others have all turns, and the request is one that nobody has to wait for
   * @throws FairleadError `too_many_requests`
   */
  take(organization: string, type: AskedType): Disposable | undefined;
}

export function createProviderTurns(): ProviderTurns {
  const shares = createFairShares(openOfAll);
  return {
    take(organization, type) {
      const own = shares.heldBy(organization);
      const reserved = type === 'CHECK' ? 0 : openOfChecks;
      if (own >= openOfOne || !shares.take(organization, 1, reserved)) {
        // An organization without an open request cannot make room. Settings are checked again when the pods start.
        if (own === 0 && type === 'CHECK') return undefined;
        // The event decides, then.
        if (type === 'PLAN') return undefined;
        throw tooMany(own);
      }
      return { [Symbol.dispose]: () => shares.count(organization, -1) };
    },
  };
}

function tooMany(own: number): FairleadError {
  const message =
    own === 0
      ? 'Providers work on as many requests as this process may have open; try again'
      : `Providers work on ${own} requests of the organization already; try again`;
  return new FairleadError('too_many_requests', message, { retryAfter: 1 });
}
