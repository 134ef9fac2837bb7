// Creates the stores of one process, which the API and the controllers share.
import { defaultTimeoutSeconds } from '../domain/event.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import { defaultRetryPolicy, policyOfType, type RetryPolicy } from '../domain/retry.ts';
import { createExplanations, type Explanations } from '../explanation/explanations.ts';
import { keyFor, type ObjectRef } from '../kube/api.ts';
import { type BuildStore, createBuildStore } from '../store/builds/store.ts';
import { createDeadLetterIndexes, type DeadLetterIndexes } from '../store/dead-letters/indexes.ts';
import { createReceiptStore, type ReceiptStore } from '../store/dead-letters/orphan-receipts.ts';
import { createDeadLetterStore, type DeadLetterStore } from '../store/dead-letters/store.ts';
import type {
  DefinitionStore,
  OrganizationStore,
  ProjectStore,
  ResourceStore,
} from '../store/interfaces.ts';
import type { ProvisioningLimits } from '../store/organizations/provisioning.ts';
import { createOrganizationStore } from '../store/organizations/store.ts';
import { createProjectGate } from '../store/projects/gate.ts';
import type { ImportRights } from '../store/projects/import-rights.ts';
import { createProjectNames, type ProjectNames } from '../store/projects/names.ts';
import { createProjectStore } from '../store/projects/store.ts';
import { createDefinitionStore } from '../store/providers/definitions.ts';
import { createProviderGate } from '../store/providers/gate.ts';
import { createRegistryStore, type RegistryStore } from '../store/providers/registries.ts';
import { createSettingsStore, type SettingsStore } from '../store/providers/settings.ts';
import { createProviderStore, type ProviderStore } from '../store/providers/store.ts';
import { createResourceQuota, type ResourceQuota } from '../store/resources/apply/quota.ts';
import { type BatchStore, createBatchStore } from '../store/resources/batch/store.ts';
import { createResourceEvents, type ResourceEvents } from '../store/resources/events.ts';
import { createHistoryKeeper } from '../store/resources/history/keeper.ts';
import { createHistoryStore, type HistoryStore } from '../store/resources/history/store.ts';
import {
  createManagedObjects,
  type ManagedObjects,
} from '../store/resources/managed-objects/index.ts';
import { createResourceStore } from '../store/resources/store.ts';
import { createSetStore, type SetStore } from '../store/sets/store.ts';
import { createResourceWatches, type ResourceWatches } from '../store/watches/index.ts';
import type { Caches, KubeDeps } from './caches.ts';

export interface Stores {
  readonly explanations: Explanations;
  readonly resourceEvents: ResourceEvents;
  readonly quota: ResourceQuota;
  readonly history: HistoryStore;
  readonly resources: ResourceStore;
  readonly batches: BatchStore;
  readonly sets: SetStore;
  readonly managedObjects: ManagedObjects;
  readonly definitions: DefinitionStore;
  readonly projects: ProjectStore & ImportRights;
  readonly projectNames: ProjectNames;
  readonly organizations: OrganizationStore;
  readonly builds: BuildStore;
  readonly providers: ProviderStore;
  readonly providerSettings: SettingsStore;
  readonly registries: RegistryStore;
  readonly deadLetters: DeadLetterStore;
  readonly deadLetterIndexes: DeadLetterIndexes;
  readonly receipts: ReceiptStore;
  readonly watches: ResourceWatches;
}

interface StoreSettings {
  readonly provision?: boolean;
  /** Provisioning limits per issuer. */
  readonly issuers: readonly ({ readonly issuer: string } & ProvisioningLimits)[];
  readonly systemNamespace: string;
  readonly tenancy?: { readonly limits?: Limits };
  readonly policy?: RetryPolicy;
  /** Time limit of one delivery in milliseconds. */
  readonly eventTimeoutMs?: number;
}

export function createStores(
  kubeDeps: KubeDeps,
  caches: Caches,
  {
    systemNamespace,
    tenancy,
    policy = defaultRetryPolicy,
    provision = true,
    issuers,
    eventTimeoutMs = defaultTimeoutSeconds * 1_000,
  }: StoreSettings,
): Stores {
  const { client, clock } = kubeDeps;
  const { namespaces } = caches;
  const known = (ref: ObjectRef) => caches.resources.get(keyFor(ref));
  const deadLetterIndexes = createDeadLetterIndexes({ ...kubeDeps, namespaces });
  const quota = createResourceQuota({ ...caches, limits: tenancy?.limits ?? defaultLimits });
  const definitions = createDefinitionStore({
    client,
    clock,
    cache: caches.definitions,
    providers: caches.providers,
  });
  const applying = {
    client,
    clock,
    projects: createProjectGate({ client, clock }),
    providers: createProviderGate({
      client,
      known: (ref) => caches.providers.get(keyFor(ref)),
    }),
    quota,
    known,
    dependencies: caches.dependencies,
    claimants: caches.claimants,
    history: createHistoryKeeper({ ...kubeDeps, definitions }),
  };
  return {
    quota,
    explanations: createExplanations({
      ...caches,
      client,
      clock,
      maxAttempts: ({ metadata: { namespace = '' }, spec }) =>
        policyOfType(policy, { retry: definitions.retryOf({ namespace }, spec) }).maxAttempts,
      limitSeconds: eventTimeoutMs / 1_000,
    }),
    resourceEvents: createResourceEvents({ client }),
    projects: createProjectStore({ client, clock }),
    projectNames: createProjectNames({ client, cache: caches.projects }),
    deadLetters: createDeadLetterStore({
      client,
      resources: caches.resources,
      indexes: deadLetterIndexes,
    }),
    deadLetterIndexes,
    receipts: createReceiptStore({ client, systemNamespace }),
    watches: createResourceWatches({
      client,
      cache: caches.resources,
      changes: caches.resourceChanges,
    }),
    builds: createBuildStore({ client, clock }),
    providers: createProviderStore({ ...caches, client, clock }),
    providerSettings: createSettingsStore({ client, clock }),
    registries: createRegistryStore({ client, clock, log: kubeDeps.log }),
    organizations: createOrganizationStore({
      client,
      clock,
      cache: caches.organizations,
      provisioning: provision
        ? (issuer) => issuers.find((each) => each.issuer === issuer)
        : undefined,
    }),
    definitions,
    managedObjects: createManagedObjects({ ...caches, client, known }),
    history: createHistoryStore({ client, definitions }),
    resources: createResourceStore(applying),
    batches: createBatchStore(applying),
    sets: createSetStore({ ...applying, resources: caches.resources }),
  };
}
