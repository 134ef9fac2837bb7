// Merges an apply into the stored spec: members that it leaves out stay as they are. Pure.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { projectIdOf } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { WantedResource } from '../../records.ts';
import { withOptions } from '../options.ts';
import { isCreateUnfinished } from '../state.ts';
import { wantedAdopt, withAdopt } from './apply-adopt.ts';

export function wantedSpec(
  stored: Resource | undefined,
  wanted: WantedResource & { readonly config: JsonObject },
  defaultProject: string,
): ResourceSpec {
  const { provider, resource, name } = wanted.tuple;
  const existing = stored?.spec;
  const tags = wanted.tags === undefined ? existing?.tags : (wanted.tags ?? []);
  const dependencies = wanted.dependencies ?? existing?.dependencies ?? [];
  const storedProject = stored && projectIdOf(stored);
  const project = wanted.projectId ?? storedProject ?? defaultProject;
  const next = {
    ...existing,
    provider,
    resource,
    name,
    // One that is left out stays so.
    ...(project === storedProject ? {} : { project }),
    lifecycle: lifecycleOf(existing, wanted),
    config: wanted.config as ResourceSpec['config'],
    ...optional('tags', tags),
    ...optional('dependencies', dependencies),
  };
  // First: the default of an option depends on it.
  const adopting = withAdopt(next, wantedAdopt(stored, wanted));
  return withOptions(adopting, wanted.options ?? {}, isCreateUnfinished(stored?.status ?? {}));
}

function lifecycleOf(
  existing: ResourceSpec | undefined,
  { lifecycle }: Pick<WantedResource, 'lifecycle'>,
): ResourceSpec['lifecycle'] {
  const unchanged = existing?.lifecycle ?? Lifecycle.Committed;
  if (lifecycle === undefined) return unchanged;
  return lifecycle === 'draft' ? Lifecycle.Draft : Lifecycle.Committed;
}

function optional<K extends 'tags' | 'dependencies', T>(key: K, list: readonly T[] | undefined) {
  return (
    list === undefined || list.length === 0 ? { [key]: undefined } : { [key]: [...list] }
  ) as {
    [P in K]?: T[];
  };
}
