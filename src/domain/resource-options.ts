// The options of a resource: how Fairlead treats it. They are no content: changing one sends no event. Pure.

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
}

/** Of a request; undefined keeps the stored value. */
export type WantedOptions = {
  readonly [Name in keyof ResourceOptions]?: ResourceOptions[Name] | undefined;
};

/** How long before the expiry of a resource it is announced, in milliseconds. */
export const expiryNoticeMs = 3_600_000;

export const defaultOptions: ResourceOptions = {
  protected: false,
  expiresAt: null,
  paused: false,
  deletionPolicy: 'delete',
};

/** The options as records and applies have them. */
export interface ResourceOptionsBody {
  protected: boolean;
  expires_at: string | null;
  paused: boolean;
  deletion_policy: DeletionPolicy;
}

export function resourceOptionsBody(options: ResourceOptions): ResourceOptionsBody {
  return {
    protected: options.protected,
    expires_at: options.expiresAt,
    paused: options.paused,
    deletion_policy: options.deletionPolicy,
  };
}

/** @param body null and an absent member keep an option, but for `expires_at`, which null removes */
export function wantedOptionsIn({
  protected: isProtected,
  expires_at: expiresAt,
  paused,
  deletion_policy: deletionPolicy,
}: {
  readonly [Name in keyof ResourceOptionsBody]?: ResourceOptionsBody[Name] | null | undefined;
}): WantedOptions {
  return {
    protected: isProtected ?? undefined,
    expiresAt,
    paused: paused ?? undefined,
    deletionPolicy: deletionPolicy ?? undefined,
  };
}

/** For what was read from a place that others may write. */
export function isResourceOptions(value: unknown): value is ResourceOptions {
  if (typeof value !== 'object' || value === null) return false;
  const options = value as Partial<ResourceOptions>;
  const { expiresAt, deletionPolicy } = options;
  return (
    typeof options.protected === 'boolean' &&
    typeof options.paused === 'boolean' &&
    (expiresAt === null || typeof expiresAt === 'string') &&
    deletionPolicies.some((each) => each === deletionPolicy)
  );
}
