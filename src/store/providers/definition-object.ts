// Builds the object of a registered type.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { annotation, apiVersion, kinds, label } from '../kinds.ts';

/**
 * @param existing the object that it replaces
 * @param given `at`: time of the change; undefined when nothing changes for readers of the type
 */
export function definitionObject(
  ref: { readonly namespace: string; readonly name: string },
  existing: ResourceDefinition | undefined,
  { spec, at }: { readonly spec: ResourceDefinition['spec']; readonly at: string | undefined },
): ResourceDefinition {
  const { metadata } = existing ?? {};
  const labels = { ...metadata?.labels, [label.provider]: spec.provider };
  const annotations = {
    ...metadata?.annotations,
    ...(at === undefined ? {} : { [annotation.updatedAt]: at }),
  };
  const head = { apiVersion, kind: kinds.definition.kind };
  return { ...existing, ...head, metadata: { ...metadata, ...ref, labels, annotations }, spec };
}
