// The names of projects, from the cache. People write a name wherever the API takes an id, and an id wins. A project is shown by its
// name while that leads back to it: names are not unique, and one may be the id of another project.
import type { Project } from '../../crds/project.ts';
import { InvalidRequest } from '../../domain/errors.ts';
import { defaultProjectId, type Organization } from '../../domain/identity.ts';
import { type Informer, type KubeClient, refOf } from '../../kube/api.ts';
import { kinds } from '../kinds.ts';

type Namespaced = Pick<Organization, 'namespace'>;

export interface ProjectNames {
  /** @returns the name of a project, or its id when the name means another one or several */
  nameOf(organization: Namespaced, projectId: string): string;
  /**
   * @param text an id or a name
   * @returns the id; a text that is neither as it is
   * @throws InvalidRequest for the name of several projects
   */
  idOf(organization: Namespaced, text: string, loc: readonly string[]): Promise<string>;
}

/** The ids of each name; those of an id are the id alone. */
interface Table {
  readonly ids: ReadonlyMap<string, readonly string[]>;
  readonly names: ReadonlyMap<string, string>;
}

export const defaultName = 'default';

export function createProjectNames({
  client,
  cache,
}: {
  readonly client: Pick<KubeClient, 'list'>;
  readonly cache: Pick<Informer<Project>, 'items' | 'onChange'>;
}): ProjectNames {
  const tables = new Map<string, Table>();
  cache.onChange((key) => tables.delete(refOf(key).namespace ?? ''));

  function cached({ namespace }: Namespaced): Table {
    const known = tables.get(namespace);
    if (known !== undefined) return known;
    const table = projectTable(namespace, cache.items(namespace));
    tables.set(namespace, table);
    return table;
  }

  /** The project may have been created a moment ago. */
  async function fresh({ namespace }: Namespaced): Promise<Table> {
    const { items } = await client.list<Project>(kinds.project, { namespace });
    return projectTable(namespace, items);
  }

  return {
    nameOf: (organization, projectId) => cached(organization).names.get(projectId) ?? projectId,
    idOf: async (organization, text, loc) => {
      const ids = cached(organization).ids.get(text) ?? (await fresh(organization)).ids.get(text);
      if (ids === undefined) return text;
      const [id = text, ...others] = ids;
      if (others.length === 0) return id;
      const msg = `${ids.length} projects are called ${text}: write the id, one of ${ids.join(', ')}`;
      throw new InvalidRequest([{ loc: [...loc], msg, type: 'value_error', input: text }]);
    },
  };
}

function projectTable(namespace: string, projects: Iterable<Project>): Table {
  const ids = new Map<string, readonly string[]>();
  const ofDefault = defaultProjectId({ namespace });
  const named = [...projects]
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => ({ id: spec.projectId, name: spec.displayName }))
    .filter(({ id }) => id !== ofDefault);
  for (const { id, name } of named) ids.set(name, [...(ids.get(name) ?? []), id].sort());
  // Also while the platform's project is missing: it is restored.
  ids.set(defaultName, [ofDefault]);
  for (const { id } of [...named, { id: ofDefault }]) ids.set(id, [id]);
  const names = [...named, { id: ofDefault, name: defaultName }]
    .filter(({ id, name }) => name !== '' && ids.get(name)?.join() === id)
    .map(({ id, name }): [string, string] => [id, name]);
  return { ids, names: new Map(names) };
}
