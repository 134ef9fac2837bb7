// Collects the rights of each process from the declarations beside the code that needs them.
import { crdManifests } from '../crds/manifest.ts';
import { allow, type PolicyRule, type ScopedRules } from '../kube/api.ts';
import { apiServerRules } from '../kube/api-server-addresses.ts';
import { installerRules } from '../kube/crd-installer.ts';
import { recorderRules } from '../kube/recorder.ts';
import { rules as build } from '../reconcilers/build/index.ts';
import { rules as deadLetters } from '../reconcilers/dead-letters/index.ts';
import { rules as deployment } from '../reconcilers/deployment/index.ts';
import { rules as observation } from '../reconcilers/observation/index.ts';
import { guardKinds } from '../reconcilers/organization/guard-kinds.ts';
import { rules as organization } from '../reconcilers/organization/index.ts';
import { rules as redrive } from '../reconcilers/redrive/index.ts';
import { rules as resource } from '../reconcilers/resource/index.ts';
import { authorityRules, trustingRules } from '../store/authorities.ts';
import { deadLetterIndexRules } from '../store/dead-letters/indexes.ts';
import { receiptRules, receiptWritingRules } from '../store/dead-letters/orphan-receipts.ts';
import { deadLetterRules } from '../store/dead-letters/store.ts';
import { publishedKeyRules, publishingRules } from '../store/event-keys.ts';
import { projectRules } from '../store/projects/store.ts';
import { registryRules } from '../store/providers/registries.ts';
import { settingsRules } from '../store/providers/settings.ts';
import { replicaRules } from '../store/replicas.ts';
import { resourceEventRules } from '../store/resources/events.ts';
import { historyRules } from '../store/resources/history/keeper.ts';
import { recordRules } from '../store/rights.ts';
import { setRules } from '../store/sets/store.ts';
import {
  authorityKeyRules,
  evaluationKeyRules,
  eventKeyRules,
  planKeyRules,
  planReadingRules,
  systemRules,
} from '../store/system.ts';

const reading = ['get', 'list', 'watch'];

/** The sources of the API's stores and measurements. */
const apiCacheRules: ScopedRules = {
  cluster: [
    allow(reading, 'fairlead.dev', [
      'organizations',
      'resourcedefinitions',
      'providers',
      'resources',
      'builds',
    ]),
    allow(reading, '', ['namespaces']),
  ],
};

const controllerCacheRules: ScopedRules = {
  cluster: [
    ...(apiCacheRules.cluster ?? []),
    allow(reading, 'fairlead.dev', ['projects']),
    allow(['list', 'watch'], '', ['configmaps', 'pods']),
    allow(['list', 'watch'], 'batch', ['jobs']),
    allow(['list', 'watch'], 'apps', ['deployments']),
    ...Object.values(guardKinds).map(({ group, plural }) =>
      allow(['list', 'watch'], group, [plural]),
    ),
  ],
};

const leaderRules: ScopedRules = {
  system: [allow(['get', 'list', 'create', 'update', 'delete'], 'coordination.k8s.io', ['leases'])],
};

const definitions = crdManifests('0.0.0').map(({ metadata }) => metadata.name);

const ofController: readonly ScopedRules[] = [
  ...[organization, build, deployment, deadLetters, redrive, resource, observation],
  ...[deadLetterRules, receiptWritingRules, recorderRules, systemRules, eventKeyRules],
  ...[authorityKeyRules, authorityRules, planKeyRules],
  ...[
    publishingRules,
    controllerCacheRules,
    leaderRules,
    apiServerRules,
    installerRules(definitions),
  ],
];
const ofApi: readonly ScopedRules[] = [
  ...[recordRules, projectRules, deadLetterRules, deadLetterIndexRules, receiptRules],
  ...[
    replicaRules,
    planReadingRules,
    systemRules,
    publishedKeyRules,
    trustingRules,
    apiServerRules,
    apiCacheRules,
    resourceEventRules,
    settingsRules,
    registryRules,
    historyRules,
    setRules,
  ],
];

/** All rights but those in tenant namespaces, which `tenantRules` has. */
export const controllerRules = mergedRules(only(ofController, 'cluster'));
export const controllerSystemRules = mergedRules(only(ofController, 'system'));
export const apiRules = mergedRules(only(ofApi, 'cluster'));
/** For the one namespace where Kubernetes keeps events about cluster-scoped objects, such as Organizations. */
export const clusterEventRules = mergedRules(only([recorderRules], 'tenant'));
export const apiSystemRules = mergedRules(only(ofApi, 'system'));

/** Granted to the controller in every namespace that it creates, by a RoleBinding there; */
export const tenantRules = mergedRules(only(ofController, 'tenant'));
/** and these to the API. */
export const tenantApiRules = mergedRules(only(ofApi, 'tenant'));

/** For the API, in evaluation mode only. */
export const evaluationRules = mergedRules(only([evaluationKeyRules], 'system'));

function only(all: readonly ScopedRules[], scope: keyof ScopedRules): readonly PolicyRule[] {
  return all.flatMap((each) => each[scope] ?? []);
}

/** @returns the same rights, each resource once, in order: equal rights make equal files */
function mergedRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs, resourceNames = [] } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = JSON.stringify([group, resource, [...resourceNames].sort()]);
        const known = verbsOf.get(key) ?? new Set();
        for (const verb of verbs) known.add(verb);
        verbsOf.set(key, known);
      }
    }
  }
  return [...verbsOf.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, verbs]) => {
      const [group, resource, names] = JSON.parse(key) as [string, string, string[]];
      const rule = { apiGroups: [group], resources: [resource], verbs: [...verbs].sort() };
      return names.length === 0 ? rule : { ...rule, resourceNames: names };
    });
}
