// Reports of the reconciler of observations, for metrics.

/** not_observed: another answer, or none. dropped: an event of the resource ended it, or its content changed before the answer. */
export type ObservationOutcome = 'in_sync' | 'changed' | 'gone' | 'not_observed' | 'dropped';

export interface ObservedSubject {
  /** The namespace of the organization. */
  readonly namespace: string;
  readonly provider: string;
  /** Resource type within the provider. */
  readonly type: string;
}

export interface ObservationAge extends ObservedSubject {
  /** Since the last observation that was answered. */
  readonly seconds: number;
}

/** It must not throw. */
export interface ObservationMeter {
  observed(subject: ObservedSubject, outcome: ObservationOutcome, seconds: number): void;
  /** @param subject of a correction that Fairlead began by itself */
  corrected(subject: ObservedSubject): void;
  /** @param ages lists the resources of a shard that are observed on a schedule, in any order; called at each scrape */
  oldest(shard: number, ages: () => Iterable<ObservationAge>): void;
}

export const silentObservationMeter: ObservationMeter = {
  observed: () => undefined,
  corrected: () => undefined,
  oldest: () => undefined,
};
