// Sorts the types by provider, and finds those that a search means. Pure.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { typeName } from '../../../domain/identity.ts';

type ListedType = Pick<ResourceDefinition, 'provider' | 'resource' | 'description' | 'tags'>;

export interface TypeGroup<T extends ListedType> {
  readonly provider: string;
  readonly types: readonly T[];
}

/** @param search words, each of which the name, the description or a tag contains */
export function typeGroups<T extends ListedType>(
  types: readonly T[],
  search: string,
): readonly TypeGroup<T>[] {
  const words = search.toLowerCase().split(/\s+/);
  const groups = new Map<string, T[]>();
  for (const type of types.toSorted(byTypeName)) {
    const { provider, description, tags } = type;
    const said = [typeName(type), description, ...(tags ?? [])].join('\n').toLowerCase();
    if (!words.every((word) => said.includes(word))) continue;
    const group = groups.get(provider);
    if (group === undefined) groups.set(provider, [type]);
    else group.push(type);
  }
  return [...groups].map(([provider, each]) => ({ provider, types: each }));
}

function byTypeName(left: ListedType, right: ListedType): number {
  return typeName(left) < typeName(right) ? -1 : 1;
}

/** @returns how many resources each type has, by `PROVIDER/TYPE` */
export function countsByType(
  resources: readonly Pick<ResourceRecord, 'provider' | 'resource'>[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of resources) {
    const name = typeName(each);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
