// Creates organizations on first use: the first valid token creates the Organization object, a reconciler makes its
// namespace, and the request waits for it.
import { EventEmitter, on } from 'node:events';
import { findCondition, Reason } from '../../crds/conditions.ts';
import type { Organization as StoredOrganization } from '../../crds/organization.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { unlessExists } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OrganizationStore } from '../interfaces.ts';
import { apiVersion, kinds } from '../kinds.ts';
import { type Provisioning, requireProvisioning } from './provisioning.ts';

/** How long a request waits for its organization's namespace before it is rejected with a retry time. */
const provisioningWaitMs = 10_000;

interface OrganizationStoreDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly cache: Informer<StoredOrganization>;
  /** Undefined: only administrators create organizations, tokens do not. */
  readonly provisioning: Provisioning | undefined;
}

export function createOrganizationStore({
  client,
  clock,
  cache,
  provisioning,
}: OrganizationStoreDeps): OrganizationStore {
  /** Being created by this process, so that concurrent ones count before they are in the cache. */
  const underWay = new Map<string, Organization>();
  const changes = new EventEmitter().setMaxListeners(0);
  cache.onChange((key) => {
    // The cache counts it from now on; or it is gone again.
    underWay.delete(key);
    changes.emit(key);
  });

  function requireProvisionable(organization: Organization): void {
    if (underWay.has(organization.namespace)) return;
    const known = { stored: cache.items(), underWay: underWay.values(), now: clock.now() };
    requireProvisioning(organization, provisioning, known);
  }

  async function provision(organization: Organization): Promise<void> {
    const { namespace } = organization;
    requireProvisionable(organization);
    underWay.set(namespace, organization);
    try {
      await createIfMissing(client, organization);
    } catch (thrown) {
      underWay.delete(namespace);
      throw thrown;
    }
  }

  async function ensure(organization: Organization): Promise<void> {
    const { namespace } = organization;
    const look = () => verdict(cache.get(namespace), organization) === 'ready';
    if (look()) return;
    if (cache.get(namespace) === undefined) await provision(organization);
    const limit = AbortSignal.timeout(provisioningWaitMs);
    // `on` buffers from the moment it is called: no change between a look and the next wait is missed.
    const heard = on(changes, namespace, { signal: limit });
    try {
      while (!look()) await heard.next();
    } catch (thrown) {
      if (!limit.aborted) throw thrown;
      throw new FairleadError('unavailable', 'The organization is being set up; try again', {
        retryAfter: 5,
      });
    } finally {
      await heard.return?.();
    }
  }

  return {
    ensure: (organization) => ensure(organization),
    check: (organization) => {
      const stored = cache.get(organization.namespace);
      if (stored === undefined) requireProvisionable(organization);
      else verdict(stored, organization);
    },
    whenRefused: ({ namespace }, cutOff) => {
      const look = () => {
        const stored = cache.get(namespace);
        if (stored === undefined || stored.spec.suspended === true) cutOff();
      };
      changes.on(namespace, look);
      look();
      return () => changes.off(namespace, look);
    },
  };
}

/** @throws FairleadError when waiting cannot help */
function verdict(
  stored: StoredOrganization | undefined,
  organization: Organization,
): 'ready' | 'not yet' {
  if (stored === undefined) return 'not yet';
  const { issuer, externalId, suspended } = stored.spec;
  // The name has only 12 hex digits of a hash: the full identity decides.
  if (issuer !== organization.issuer || externalId !== organization.id) throw namespaceTaken();
  if (suspended === true) {
    throw new FairleadError('forbidden', 'The organization is suspended');
  }
  const ready = findCondition(stored.status?.conditions, 'Ready');
  if (ready?.reason === Reason.NamespaceTaken) throw namespaceTaken();
  return ready?.status === 'True' ? 'ready' : 'not yet';
}

function namespaceTaken(): FairleadError {
  return new FairleadError(
    'unavailable',
    'The namespace of the organization exists but does not belong to it; ask the administrator of the cluster',
    { retryAfter: 60 },
  );
}

async function createIfMissing(
  client: KubeClient,
  { namespace, issuer, id }: Organization,
): Promise<void> {
  await unlessExists(() =>
    client.create<StoredOrganization>(kinds.organization, {
      apiVersion,
      kind: kinds.organization.kind,
      metadata: { name: namespace },
      spec: { issuer, externalId: id },
    }),
  );
}
