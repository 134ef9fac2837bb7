// The options of a resource: how Fairlead treats it. They are no content: changing one sends no event, but for the one that makes a
// resource managed that was only observed. Pure.
import {
  defaultObserveOptions,
  type GivenObserveOptions,
  isObserveOptions,
  type Management,
  managements,
  type ObserveOptions,
  type ObserveOptionsBody,
  observeOptionsBody,
  observeOptionsIn,
} from './observation/options.ts';

export const deletionPolicies = ['delete', 'orphan'] as const;
export type DeletionPolicy = (typeof deletionPolicies)[number];

export interface ResourceOptions {
  /** Nothing deletes or replaces it. */
  readonly protected: boolean;
  /** When it is deleted, as ISO 8601 UTC; null: never. */
  readonly expiresAt: string | null;
  /** No new event begins. */
  readonly paused: boolean;
  /** Whether its deletion deletes what its provider created. */
  readonly deletionPolicy: DeletionPolicy;
  /** How its object is observed. */
  readonly observe: ObserveOptions;
  /** Whether Fairlead changes its object, or only reads it. */
  readonly management: Management;
}

/** Options of a request; undefined keeps the stored value. */
export type WantedOptions = {
  readonly [Name in keyof ResourceOptions]?: ResourceOptions[Name] | undefined;
};

export const defaultOptions: ResourceOptions = {
  protected: false,
  expiresAt: null,
  paused: false,
  deletionPolicy: 'delete',
  observe: defaultObserveOptions,
  management: 'managed',
};

/** The options as records and applies have them. */
export interface ResourceOptionsBody {
  protected: boolean;
  expires_at: string | null;
  paused: boolean;
  deletion_policy: DeletionPolicy;
  observe: ObserveOptionsBody;
  management: Management;
}

export function resourceOptionsBody(options: ResourceOptions): ResourceOptionsBody {
  return {
    protected: options.protected,
    expires_at: options.expiresAt,
    paused: options.paused,
    deletion_policy: options.deletionPolicy,
    observe: observeOptionsBody(options.observe),
    management: options.management,
  };
}

type WantedBody = {
  readonly [Name in keyof Omit<ResourceOptionsBody, 'observe'>]?:
    | ResourceOptionsBody[Name]
    | null
    | undefined;
} & { readonly observe?: GivenObserveOptions | null | undefined };

/**
 * @param body null and an absent member keep an option, but for `expires_at`, which null removes, and `observe`, which null resets
 * and an object replaces as a whole
 */
export function wantedOptionsIn({
  protected: isProtected,
  expires_at: expiresAt,
  paused,
  deletion_policy: deletionPolicy,
  observe,
  management,
}: WantedBody): WantedOptions {
  return {
    protected: isProtected ?? undefined,
    expiresAt,
    paused: paused ?? undefined,
    deletionPolicy: deletionPolicy ?? undefined,
    observe: observe === undefined ? undefined : observeOptionsIn(observe),
    management: management ?? undefined,
  };
}

/**
 * For what was read from a place that others may write. @returns undefined when they are no options; what an earlier program did not
 * record is the default
 */
export function resourceOptionsIn(value: unknown): ResourceOptions | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const options = { ...defaultOptions, ...value };
  return isResourceOptions(options) ? options : undefined;
}

function isResourceOptions(options: Partial<ResourceOptions>): options is ResourceOptions {
  const { expiresAt, deletionPolicy } = options;
  return (
    typeof options.protected === 'boolean' &&
    typeof options.paused === 'boolean' &&
    (expiresAt === null || typeof expiresAt === 'string') &&
    deletionPolicies.some((each) => each === deletionPolicy) &&
    isObserveOptions(options.observe) &&
    managements.some((each) => each === options.management)
  );
}
