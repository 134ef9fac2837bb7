// The limits that events of a provider share, in the order in which they pass them. The controller delivers by them, and `why` tells by
// them what an event that is due may wait for. Pure.

interface DueEvent {
  /** Its name, also with a namespace. */
  readonly provider: string;
  readonly type: string;
  readonly isSuspect?: boolean | undefined;
}

/** Events at a time, as type and provider declare; undefined without a limit. */
export interface DeclaredLimits {
  readonly type: number | undefined;
  readonly provider: number | undefined;
}

export interface DeliveryLimitRow {
  /** @returns the name of the events that share the limit with this one; undefined when it does not concern this one */
  readonly groupOf: (event: DueEvent) => string | undefined;
  /** @returns how many of them are delivered at a time */
  readonly atOnce: (declared: DeclaredLimits) => number | undefined;
  /** Names them in a sentence. */
  readonly named: (event: DueEvent) => string;
}

export const deliveryLimits = {
  suspects: {
    groupOf: ({ provider, isSuspect }) => (isSuspect ? `${provider} suspects` : undefined),
    atOnce: () => 1,
    named: ({ provider }) => `events of provider ${provider} that may end its process`,
  },
  type: {
    groupOf: ({ provider, type }) => `${provider}/${type}`,
    atOnce: ({ type }) => type,
    named: ({ provider, type }) => `type ${provider}/${type}`,
  },
  provider: {
    groupOf: ({ provider }) => provider,
    atOnce: ({ provider }) => provider,
    named: ({ provider }) => `provider ${provider}`,
  },
} as const satisfies Readonly<Record<string, DeliveryLimitRow>>;
