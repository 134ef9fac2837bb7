// Decides whether a token may create a new organization. Counts the Organization objects of its issuer in the cache: no
// other state is kept, so a restart resets nothing, and deleting one frees its place.
import type { Organization as StoredOrganization } from '../../crds/organization.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';

/** Limits per issuer. */
export interface ProvisioningLimits {
  readonly maxOrganizations?: number | undefined;
  readonly organizationsPerHour?: number | undefined;
}

/** @returns the limits of an issuer */
export type Provisioning = (issuer: string) => ProvisioningLimits | undefined;

export const defaultProvisioning = { maxOrganizations: 1_000, organizationsPerHour: 200 };

const hourMs = 3_600_000;

interface KnownOrganizations {
  readonly stored: Iterable<StoredOrganization>;
  /** Being created by this process, whether or not they are in the cache. */
  readonly underWay: Iterable<Organization>;
  readonly now: Date;
}

/**
 * @throws FairleadError `organization_unknown` where tokens create no organizations; `limit_reached`, or `too_many_requests`
 * with the time until the next one is allowed
 */
export function requireProvisioning(
  organization: Organization,
  provisioning: Provisioning | undefined,
  { stored, underWay, now }: KnownOrganizations,
): void {
  const { issuer, id, namespace } = organization;
  if (provisioning === undefined) {
    throw new FairleadError(
      'organization_unknown',
      `The organization does not exist, and tokens do not create it; ask an administrator to create the Organization ${namespace} with issuer ${issuer} and externalId ${id}`,
    );
  }
  const limits = provisioning(issuer);
  const max = limits?.maxOrganizations ?? defaultProvisioning.maxOrganizations;
  const perHour = limits?.organizationsPerHour ?? defaultProvisioning.organizationsPerHour;
  const born = birthsOf(issuer, { stored, underWay, now });
  if (born.length >= max) {
    throw new FairleadError(
      'limit_reached',
      `The issuer has ${max} organizations, which is its limit; ask an administrator to raise maxOrganizations of the issuer, or to remove one`,
    );
  }
  const since = now.getTime() - hourMs;
  const lately = born.filter((at) => at > since).sort((left, right) => left - right);
  const oldest = lately.at(-perHour);
  if (oldest === undefined) return;
  throw new FairleadError(
    'too_many_requests',
    `Too many new organizations of this issuer; the limit is ${perHour} an hour. Try again later, or ask an administrator to raise organizationsPerHour of the issuer`,
    { retryAfter: Math.max(1, Math.ceil((oldest - since) / 1_000)) },
  );
}

function birthsOf(issuer: string, { stored, underWay, now }: KnownOrganizations): number[] {
  const born = new Map<string, number>();
  for (const each of underWay) {
    if (each.issuer === issuer) born.set(each.namespace, now.getTime());
  }
  for (const { spec, metadata } of stored) {
    if (spec.issuer !== issuer) continue;
    born.set(metadata.name, new Date(metadata.creationTimestamp ?? now).getTime());
  }
  return [...born.values()];
}
