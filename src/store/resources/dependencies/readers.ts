// The references by which resources read outputs of others. Reads the caches.
import type { Resource } from '../../../crds/resource.ts';
import { idOf, type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { type Reference, referencesIn } from '../../../domain/references/references.ts';
import { type Key, refOf } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { inTimeSlices } from '../../../lib/turns.ts';
import type { ResourceRecord } from '../../records.ts';
import { type DependencyIndex, resourceKeyOf } from './dependency-index.ts';

/** A resource that reads outputs. */
export interface OutputReader {
  readonly id: string;
  /** `provider/resource/name`. */
  readonly name: string;
  /** Its references to outputs of the given resources; at least one. */
  readonly references: readonly Reference[];
}

interface ReadersDeps {
  readonly dependencies: Pick<DependencyIndex, 'usersOf'>;
  /** The cached object, which may be old. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
}

type ReadResource = Pick<ResourceRecord, 'provider' | 'resource' | 'name' | 'projectId'>;

/** @returns the resources, without drafts and those that are deleted, that read outputs of the given ones, in the order of their names */
export async function readersOf(
  { dependencies, known }: ReadersDeps,
  { namespace }: Organization,
  read: readonly ReadResource[],
): Promise<readonly OutputReader[]> {
  const projects = new Map(read.map((each) => [slashed(each), each.projectId]));
  const users = new Set<Key>();
  for (const each of read) {
    for (const key of dependencies.usersOf(resourceKeyOf(namespace, each))) users.add(key);
  }
  const readers: OutputReader[] = [];
  await inTimeSlices(users, (key) => {
    const user = known({ ...refOf(key), namespace });
    if (user === undefined || !isCommitted(user)) return;
    const projectId = projectIdOf(user);
    // Resources of different projects never see each other.
    const references = referencesIn(user.spec.config as JsonObject).filter(
      ({ to }) => projects.get(slashed(to)) === projectId,
    );
    if (references.length === 0) return;
    readers.push({ id: idOf(user.spec), name: slashed(user.spec), references });
  });
  return readers.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function isCommitted({ metadata, spec }: Resource): boolean {
  return metadata.deletionTimestamp === undefined && spec.lifecycle !== Lifecycle.Draft;
}
