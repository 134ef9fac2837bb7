// Finds the users of a resource to block its deletion. The index yields candidates, and each is read again, because the
// index may lag. One gap remains: a user that another replica stored a moment ago is missing. Such a deletion begins, and
// the reconciler waits for the user before the teardown.
import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { dependenciesOf } from '../../../domain/references/references.ts';
import { type Key, type KubeClient, type ObjectRef, refOf } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { kinds } from '../../kinds.ts';
import { read } from '../../put.ts';
import type { ResourceRecord } from '../../records.ts';
import { type DependencyIndex, resourceKeyOf } from './dependency-index.ts';

export interface UsersDeps {
  readonly client: KubeClient;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'cycleThrough'>;
}

type Used = Pick<ResourceRecord, 'provider' | 'resource' | 'name' | 'projectId'>;

interface DependentsQuestion {
  readonly records: readonly Used[];
  /** A provider whose resources do not count, because they are deleted too. */
  readonly leaving?: string | undefined;
  /** Users that do not count, because the same request decides about them. */
  readonly beside?: ReadonlySet<Key> | undefined;
}

const atOnce = 16;
const maxCounted = 100;
const maxNamed = 20;

/** @throws FairleadError resource_in_use when others depend on one of the records */
export async function requireUnused(
  deps: UsersDeps,
  { namespace }: Organization,
  { records, leaving, beside }: DependentsQuestion,
): Promise<void> {
  for (const record of records) {
    const users = await storedUsers(deps, namespace, { record, leaving, beside });
    if (users.length > 0) throw resourceInUse(record, users);
  }
}

/** @returns names of the users; stops reading when there are more than the message can list */
async function storedUsers(
  { client, dependencies }: UsersDeps,
  namespace: string,
  { record, leaving, beside }: { record: Used } & Omit<DependentsQuestion, 'records'>,
): Promise<readonly string[]> {
  const { provider, resource, name } = record;
  const tuple = { provider, resource, name };
  const keys = [...dependencies.usersOf(resourceKeyOf(namespace, tuple))]
    .filter((key) => beside?.has(key) !== true)
    .sort();
  const names: string[] = [];
  for (let at = 0; at < keys.length && names.length <= maxCounted; at += atOnce) {
    const reading = keys.slice(at, at + atOnce).map((key) => readUser(client, refOf(key)));
    for (const user of await Promise.all(reading)) {
      if (user === undefined || user.spec.provider === leaving || !uses(user, record)) continue;
      // A user that it depends on itself, which only kubectl can cause: neither could ever be deleted first.
      if (
        dependencies.cycleThrough(
          namespace,
          { ...user.spec, projectId: record.projectId },
          { dependencies: [tuple] },
        ) !== undefined
      )
        continue;
      names.push(slashed(user.spec));
    }
  }
  return names.sort();
}

function readUser(client: KubeClient, ref: ObjectRef) {
  return read<Resource>(client, kinds.resource, ref);
}

function uses(user: Resource, record: Used): boolean {
  const { metadata, spec } = user;
  const { dependencies, config, lifecycle } = spec;
  if (metadata.deletionTimestamp !== undefined || lifecycle === Lifecycle.Draft) return false;
  // Resources of different projects never see each other, whatever dependencies they declare.
  if (projectIdOf(user) !== record.projectId) return false;
  const all = dependenciesOf({ dependencies, config: config as JsonObject });
  return all.some((each) => slashed(each) === slashed(record));
}

export function resourceInUse(record: Used, users: readonly string[]): FairleadError {
  const count = users.length > maxCounted ? `more than ${maxCounted}` : `${users.length}`;
  const what = users.length === 1 ? '1 resource' : `${count} resources`;
  const more = users.length > maxNamed ? ', …' : '';
  const message = `Resource ${slashed(record)} is used by ${what}: ${users.slice(0, maxNamed).join(', ')}${more}`;
  const context = {
    resource: slashed(record),
    users: users.slice(0, maxCounted),
    more_users: users.length > maxCounted,
  };
  return new FairleadError('resource_in_use', message, { context });
}
