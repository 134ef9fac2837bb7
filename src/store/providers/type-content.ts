// The content of a type, by a version of a provider or a registration over HTTP. Pure.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { type DeclaredTypeOptions, typeOptionFields } from '../../domain/type-options.ts';
import { storedVersion } from '../../domain/type-version.ts';
import { pick, withoutUndefined } from '../../lib/json.ts';

const ofSchemas = [
  ...['description', 'schema', 'fieldOrder', 'typeVersion', 'outputsSchema', 'outputsFieldOrder'],
  ...['adoptSchema', 'identity', 'earlierVersions'],
] as const;

export type TypeContent = Pick<
  ResourceDefinition['spec'],
  (typeof ofSchemas)[number] | keyof DeclaredTypeOptions
>;

/** @returns the content of a definition, a build or a registration, without what is absent */
export function typeContent(content: TypeContent): TypeContent {
  const { typeVersion, earlierVersions } = content;
  return withoutUndefined({
    ...pick(content, ofSchemas),
    ...typeOptionsOf(content),
    typeVersion: storedVersion(typeVersion),
    earlierVersions: earlierVersions?.length === 0 ? undefined : earlierVersions,
  });
}

export function typeOptionsOf(content: DeclaredTypeOptions): DeclaredTypeOptions {
  return pick(content, Object.keys(typeOptionFields) as (keyof DeclaredTypeOptions)[]);
}
