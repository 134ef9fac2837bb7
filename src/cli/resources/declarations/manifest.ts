// Writes the manifest of a record for kubectl, Flux and Argo CD, without defaults; `shape.ts` reads it back.
import type { ResourceRecord } from '../../../api/shapes.ts';
import { manifestOptions } from '../../../client/resource-options.ts';
import { defaultProjectId, keyOf, objectNameOf } from '../../../domain/identity.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';

/** @throws CliError for a copy without its secrets, which kubectl would store as it is */
export function manifestOf(record: ResourceRecord, namespace: string): object {
  const { provider, resource, name, project_id, tags, dependencies, adopt, masked } = record;
  const [secret] = masked ?? [];
  if (secret !== undefined) {
    const message = `The secret at ${secret} is not shown to viewers, so the manifest would lack it.`;
    throw new CliError(message, { next: 'print it as an editor, or use -o yaml' });
  }
  const isDefault = project_id === defaultProjectId({ namespace });
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Resource',
    metadata: { name: objectNameOf(keyOf(record)), namespace },
    spec: {
      ...{ provider, resource, name },
      ...(isDefault ? {} : { project: project_id }),
      ...(record.lifecycle_state === 'draft' ? { lifecycle: 'Draft' } : {}),
      config: record.config,
      ...(dependencies.length === 0 ? {} : { dependencies }),
      ...(tags === null || tags.length === 0 ? {} : { tags }),
      ...(adopt == null ? {} : { adopt }),
      ...manifestOptions(record),
    },
  };
}
