// Counts drifted resources, those that cannot be observed, and providers whose corrections are held. Follows the cache of
// Resources and keeps only those, so that a read costs as much as there is drift.
import { findCondition } from '../crds/conditions.ts';
import type { Provider } from '../crds/provider.ts';
import type { Resource } from '../crds/resource.ts';
import type { DriftKind } from '../domain/observation/drift.ts';
import type { Informer, Key } from '../kube/api.ts';
import type { Metrics, Sample } from './registry.ts';
import { frequentWords, other } from './tenant-words.ts';

interface DriftDeps {
  readonly resources: Pick<Informer<Resource>, 'onChange'>;
  readonly providers: Pick<Informer<Provider>, 'items'>;
}

/** Labels. */
// A type alias, and no interface: it is a record of texts.
type DriftLabels = {
  readonly organization: string;
  readonly provider: string;
  readonly type: string;
  readonly kind?: DriftKind;
};

const labels = ['organization', 'provider', 'type'];

export function measureDrift(metrics: Metrics, { resources, providers }: DriftDeps): void {
  const drifted = metrics.gauge({
    name: 'fairlead_resources_drifted',
    help: 'Resources whose object differs from their config, or is gone, as last observed. The fifty types of each organization with the most, the rest as other.',
    labels: [...labels, 'kind'],
  });
  const notObserved = metrics.gauge({
    name: 'fairlead_resources_not_observed',
    help: 'Resources with the condition Observed=False: three intervals passed without an observation, or the last one that was requested failed.',
    labels,
  });
  const held = metrics.gauge({
    name: 'fairlead_corrections_held',
    help: '1 for each provider with the condition CorrectionsHeld: so many objects differ or are gone that nothing is corrected.',
    labels: ['organization', 'provider'],
  });
  const drifts = new Map<Key, DriftLabels>();
  const unobserved = new Map<Key, DriftLabels>();
  resources.onChange((key, _before, resource) => {
    keepLabels(drifts, key, driftIn(resource));
    keepLabels(unobserved, key, missingObservationIn(resource));
  });
  metrics.beforeScrape(() => {
    drifted(driftSamples(drifts));
    notObserved(driftSamples(unobserved));
    held(heldBy(providers.items()));
  });
}

function keepLabels(all: Map<Key, DriftLabels>, key: Key, found: DriftLabels | undefined): void {
  if (found === undefined) all.delete(key);
  else all.set(key, found);
}

/** As `GET /resources/?drift=true` lists them: without those that are being deleted. */
function driftLabels(resource: Resource | undefined): DriftLabels | undefined {
  if (resource === undefined || resource.metadata.deletionTimestamp !== undefined) return undefined;
  const { provider, resource: type } = resource.spec;
  return { organization: resource.metadata.namespace ?? '', provider, type };
}

function driftIn(resource: Resource | undefined): DriftLabels | undefined {
  const subject = driftLabels(resource);
  const drift = resource?.status?.drift;
  if (subject === undefined || drift === undefined) return undefined;
  return { ...subject, kind: drift.kind === 'Gone' ? 'gone' : 'changed' };
}

function missingObservationIn(resource: Resource | undefined): DriftLabels | undefined {
  const observed = findCondition(resource?.status?.conditions, 'Observed');
  return observed?.status === 'False' ? driftLabels(resource) : undefined;
}

function driftSamples(all: ReadonlyMap<Key, DriftLabels>): Iterable<Sample> {
  const frequent = frequentWords(all.values(), driftType);
  const samples = new Map<string, Sample>();
  for (const found of all.values()) {
    const isFrequent = frequent.get(found.organization)?.has(driftType(found)) === true;
    const its = isFrequent ? found : { ...found, provider: other, type: other };
    const id = Object.values(its).join('/');
    samples.set(id, { labels: its, value: (samples.get(id)?.value ?? 0) + 1 });
  }
  return samples.values();
}

function driftType({ provider, type }: DriftLabels): string {
  return `${provider}/${type}`;
}

function heldBy(providers: Iterable<Provider>): Sample[] {
  return [...providers]
    .filter(({ status }) => findCondition(status?.conditions, 'CorrectionsHeld')?.status === 'True')
    .map(({ metadata: { namespace: organization = '' }, spec: { provider } }) => ({
      labels: { organization, provider },
      value: 1,
    }));
}
