// Whether two records of a resource declare the same content. Pure.
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { slashed } from '../../../../domain/identity.ts';
import { canonicalJson } from '../../../../lib/json.ts';

/** @returns whether two records declare the same; the progress of a provider also makes new versions */
export function declaresTheSame(left: ResourceRecord, right: ResourceRecord): boolean {
  return canonicalJson(editedDeclaration(left)) === canonicalJson(editedDeclaration(right));
}

function editedDeclaration({ config, tags, dependencies, lifecycle_state }: ResourceRecord) {
  return {
    config,
    tags: tags ?? [],
    dependencies: dependencies.map(slashed),
    isDraft: lifecycle_state === 'draft',
  };
}
