// Pure. What a version of a provider, or a registration over HTTP, says about a type.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { storedVersion } from '../../domain/type-version.ts';
import { withoutUndefined } from '../../lib/json.ts';

export type TypeContent = Pick<
  ResourceDefinition['spec'],
  | 'description'
  | 'schema'
  | 'fieldOrder'
  | 'typeVersion'
  | 'outputsSchema'
  | 'outputsFieldOrder'
  | 'adoptSchema'
  | 'earlierVersions'
  | 'timeoutSeconds'
  | 'retry'
  | 'cancellable'
  | 'cancelsOperations'
  | 'concurrency'
  | 'operationLimitSeconds'
  | 'observe'
  | 'observeEvery'
  | 'listable'
>;

/** @returns the content of a definition, a build or a registration, without what is absent */
export function typeContent({
  description,
  schema,
  fieldOrder,
  typeVersion,
  outputsSchema,
  outputsFieldOrder,
  adoptSchema,
  earlierVersions,
  timeoutSeconds,
  retry,
  cancellable,
  cancelsOperations,
  concurrency,
  operationLimitSeconds,
  observe,
  observeEvery,
  listable,
}: TypeContent): TypeContent {
  return withoutUndefined({
    description,
    schema,
    fieldOrder,
    typeVersion: storedVersion(typeVersion),
    outputsSchema,
    outputsFieldOrder,
    adoptSchema,
    earlierVersions: earlierVersions?.length === 0 ? undefined : earlierVersions,
    timeoutSeconds,
    retry,
    cancellable,
    cancelsOperations,
    concurrency,
    operationLimitSeconds,
    observe,
    observeEvery,
    listable,
  });
}
