// Observations and corrections as the controller reports them, and how old the oldest observation of each type is.
import type {
  ObservationAge,
  ObservationMeter,
  ObservedSubject,
} from '../reconcilers/observation/meter.ts';
import type { Labels, Metrics, Sample } from './registry.ts';
import { firstWords, other } from './tenant-words.ts';

/** Upper bounds in seconds. */
const buckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 30, 60];

const labels = ['organization', 'provider', 'type'];

interface ObservationsDeps {
  /** The shards that this process leads. */
  readonly led: () => readonly number[];
}

/** @returns where the controllers report; call it once */
export function measureObservations(metrics: Metrics, { led }: ObservationsDeps): ObservationMeter {
  const count = metrics.counter({
    name: 'fairlead_observations_total',
    help: 'Observations by outcome; not_observed: another answer or none, dropped: the resource changed meanwhile. The first fifty types of each organization, the rest as other.',
    labels: [...labels, 'outcome'],
  });
  const time = metrics.histogram({
    name: 'fairlead_observation_duration_seconds',
    help: 'Time of one observation, from connecting to the end of the answer.',
    labels: ['outcome'],
    buckets,
  });
  const corrections = metrics.counter({
    name: 'fairlead_corrections_total',
    help: 'Events that Fairlead began by itself because an object differed or was gone.',
    labels,
  });
  const age = metrics.gauge({
    name: 'fairlead_observation_age_seconds',
    help: 'Time since the last answered observation of the resource of a type for which it is longest. Only the replica that leads the shard of the organization has the series.',
    labels,
  });
  const isFirst = firstWords();

  function labelsOf({ namespace: organization, provider, type }: ObservedSubject): Labels {
    return isFirst(organization, `${provider}/${type}`)
      ? { organization, provider, type }
      : { organization, provider: other, type: other };
  }

  const shards = new Map<number, () => Iterable<ObservationAge>>();
  metrics.beforeScrape(() => {
    const oldest = new Map<string, Sample>();
    for (const shard of new Set(led())) {
      for (const { seconds, ...subject } of shards.get(shard)?.() ?? []) {
        const its = labelsOf(subject);
        const id = Object.values(its).join('/');
        if (seconds > (oldest.get(id)?.value ?? -1))
          oldest.set(id, { labels: its, value: seconds });
      }
    }
    age(oldest.values());
  });

  return {
    observed(subject, outcome, seconds) {
      count({ ...labelsOf(subject), outcome });
      time({ outcome }, seconds);
    },
    corrected: (subject) => corrections(labelsOf(subject)),
    oldest: (shard, ages) => void shards.set(shard, ages),
  };
}
