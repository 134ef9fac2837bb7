// Pure. Decides which definition of a type is in force. The version of a provider that serves events decides, so the one write
// that sets `Provider.status.deployedVersion` switches all types of the provider together with its traffic.
import type { Provider } from '../../crds/provider.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { type TypeContent, typeContent } from './type-content.ts';

/** The version that serves lacks the type, since `at`. */
export type Retirement = NonNullable<ResourceDefinition['spec']['retired']>;

/** The version of a provider that decides about its types, and since when it serves. */
export interface ServingVersion {
  readonly version: string;
  readonly since: string | undefined;
}

export interface TypeInForce {
  readonly content: TypeContent;
  /** Undefined while the type accepts resources. */
  readonly retired: Retirement | undefined;
  /** Time of the last change by a deploy, while it is not recorded at the object. */
  readonly changedAt?: string | undefined;
}

export interface ServingProvider {
  readonly spec: Pick<Provider['spec'], 'version'>;
  readonly status?: Provider['status'] | undefined;
}

/**
 * @param provider of the definition; undefined when there is none
 * @returns undefined for a type that no version has served yet
 */
export function typeInForce(
  { spec }: Pick<ResourceDefinition, 'spec'>,
  provider: ServingProvider | undefined,
): TypeInForce | undefined {
  const { next, retired, providerVersion } = spec;
  // Types of a provider that Fairlead does not run are in force as they are registered.
  if (provider?.spec.version === undefined) return { content: spec, retired };
  const serving = servingVersionOf(provider);
  if (next !== undefined && next.version === serving?.version) {
    if (next.retired === true) return { content: spec, retired: retirementBy(serving) };
    const changedAt = isSameContent(spec, next) ? undefined : serving.since;
    return { content: next, retired: undefined, changedAt };
  }
  if (retired !== undefined) return { content: spec, retired };
  // Without a version it was registered over HTTP.
  const isServed = providerVersion === undefined || providerVersion === serving?.version;
  return isServed ? { content: spec, retired: undefined } : undefined;
}

/** @returns undefined for a provider that Fairlead does not run, or that has not served yet */
export function servingVersionOf(
  provider: ServingProvider | undefined,
): ServingVersion | undefined {
  const { deployedVersion, deployedAt } = provider?.status ?? {};
  if (provider?.spec.version === undefined || deployedVersion === undefined) return undefined;
  return { version: deployedVersion, since: deployedAt };
}

/** Returns whether two definitions of a type mean the same. */
export function isSameContent(one: TypeContent, other: TypeContent): boolean {
  const [left, right] = [one, other].map((each) =>
    canonicalJson(typeContent(each) as unknown as JsonObject),
  );
  return left === right;
}

/** @returns a sentence without its full stop */
export function retiredInWords(
  { provider, resource }: Pick<ResourceDefinition['spec'], 'provider' | 'resource'>,
  { version, at }: Retirement,
): string {
  return `Type ${provider}/${resource} is retired: version ${version} of the provider, which has served since ${at}, lacks it`;
}

export function retirementBy({ version, since }: ServingVersion): Retirement {
  return { version, at: since ?? new Date(0).toISOString() };
}
