// What the controller reports about observations and corrections, to be measured. Pure.

export const observationOutcomes = [
  'in_sync',
  'changed',
  'gone',
  /** Another answer, or none. */
  'not_observed',
  /** Ended by an event of the resource, or answered after its content changed. */
  'dropped',
] as const;
export type ObservationOutcome = (typeof observationOutcomes)[number];

export interface ObservedSubject {
  /** Of the organization. */
  readonly namespace: string;
  readonly provider: string;
  /** Resource type within the provider. */
  readonly type: string;
}

export interface ObservationAge extends ObservedSubject {
  /** Since the last observation that was answered. */
  readonly seconds: number;
}

export interface ObservationMeter {
  observed(subject: ObservedSubject, outcome: ObservationOutcome, seconds: number): void;
  /** @param subject of a correction that Fairlead began by itself */
  corrected(subject: ObservedSubject): void;
  /** @param ages lists the resources of a shard that are observed on a schedule, in any order */
  oldest(shard: number, ages: () => Iterable<ObservationAge>): void;
}

export const silentObservationMeter: ObservationMeter = {
  observed: () => undefined,
  corrected: () => undefined,
  oldest: () => undefined,
};
