// Reads from the caches the type of a resource, and the secrets that it receives from resources of other types.
import type { Provider } from '../../../crds/provider.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { ResourceDefinition } from '../../../crds/resource-definition.ts';
import { definitionNameOf, slashed } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import type { Unresolved } from '../../../domain/references/references.ts';
import { readableOutputs, readableSecrets } from '../../../domain/schemas/deprecated-outputs.ts';
import { outputSecrets, receivedSecrets } from '../../../domain/secrets/received-secrets.ts';
import type { ReceivedSecrets } from '../../../domain/secrets/resource-secrets.ts';
import { typeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { firstTypeVersion } from '../../../domain/type-version.ts';
import { type Informer, keyFor } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { TypeContent } from '../../../store/providers/type-content.ts';
import { type TypeInForce, typeInForce } from '../../../store/providers/type-in-force.ts';
import { findDependency } from '../../../store/resources/dependencies/unready-dependency.ts';
import { recordedSecretsOf } from '../../../store/resources/recorded-secrets.ts';

interface KnownTypeDeps {
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
}

interface ReferenceDeps extends KnownTypeDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
}

export interface KnownType {
  /** Undefined for a type that is not in force. */
  readonly type: TypeInForce | undefined;
  /** A type that is not in force still has secrets in its resources. Undefined for one that is not known. */
  readonly content: TypeContent | undefined;
  readonly provider: Provider | undefined;
}

export function knownType({ metadata, spec }: Resource, deps: KnownTypeDeps): KnownType {
  const { namespace } = metadata;
  const provider = deps.providers.get(keyFor({ namespace, name: spec.provider }));
  const name = definitionNameOf(spec.provider, spec.resource);
  const found = deps.definitions.get(keyFor({ namespace, name }));
  const isOther = found?.spec.provider !== spec.provider || found.spec.resource !== spec.resource;
  if (found === undefined || isOther) return { type: undefined, content: undefined, provider };
  const type = typeInForce(found, provider);
  return { type, content: type?.content ?? found.spec, provider };
}

/** A resource of another project counts as missing: this one may not read its outputs. */
export function dependencyOutputs(
  resource: Resource,
  deps: ReferenceDeps,
): (dependency: Dependency) => JsonObject | undefined {
  const known = new Map<string, JsonObject | undefined>();
  const read = (dependency: Dependency) => {
    const { resource: found, sameProject } = findDependency(resource, dependency, deps.resources);
    const outputs = sameProject ? (found?.status?.outputs as JsonObject | undefined) : undefined;
    if (found === undefined || outputs === undefined) return undefined;
    return readableOutputs(outputs, outputsSchemaOf(knownType(found, deps)));
  };
  // A config may have thousands of references to one resource.
  return (dependency) => {
    const name = slashed(dependency);
    if (!known.has(name)) known.set(name, read(dependency));
    return known.get(name);
  };
}

function outputsSchemaOf({ content }: Pick<KnownType, 'content'>): JsonObject | undefined {
  return content?.outputsSchema as JsonObject | undefined;
}

/** Outputs that viewers do not see are secret in the config, too, that a reference inserts them into. */
export function receivedBy(resource: Resource, deps: ReferenceDeps): ReceivedSecrets {
  return receivedSecrets(resource.spec.config as JsonObject, (dependency, budget) => {
    const { resource: found, sameProject } = findDependency(resource, dependency, deps.resources);
    if (found === undefined || !sameProject) return undefined;
    const { content } = knownType(found, deps);
    const schema = outputsSchemaOf({ content });
    const stored = {
      config: found.spec.config as JsonObject,
      outputs: (found.status?.outputs ?? {}) as JsonObject,
      secrets: recordedSecretsOf(found),
    };
    const { outputs, places } = outputSecrets(stored, content && typeSchemas(content), budget);
    return { outputs: readableOutputs(outputs, schema), places: readableSecrets(places, schema) };
  });
}

/** Outputs that were returned in an earlier version of their type than the one that serves. */
export interface EarlierOutputs {
  readonly version: number;
  readonly serving: number;
}

/** @returns by `provider/type/name`, the resources whose outputs have an earlier version of their type than the one that serves */
export function earlierOutputs(
  resource: Resource,
  unresolved: readonly Unresolved[],
  deps: ReferenceDeps,
): ReadonlyMap<string, EarlierOutputs> {
  const found = unresolved.flatMap(({ to }): [string, EarlierOutputs][] => {
    const { resource: used, sameProject } = findDependency(resource, to, deps.resources);
    if (used?.status?.outputs === undefined || !sameProject) return [];
    const { typeVersion: serving = firstTypeVersion } = knownType(used, deps).content ?? {};
    const version = used.status.outputsTypeVersion ?? firstTypeVersion;
    return version < serving ? [[slashed(to), { version, serving }]] : [];
  });
  return new Map(found);
}
