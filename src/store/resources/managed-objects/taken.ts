// Refuses imports of objects that another resource stands for. The index yields candidates, and each is read again, because the index may
// lag. A resource that another replica stored a moment ago is missing; the reconciler lets one of the two fail before its event.
import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import {
  type Organization,
  projectIdOf,
  type ResourceTuple,
  slashed,
} from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { type KubeClient, refOf } from '../../../kube/api.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { kinds } from '../../kinds.ts';
import { read } from '../../put.ts';
import type { ProjectScope } from '../../records.ts';
import { resourceKeyOf } from '../dependencies/dependency-index.ts';
import { isInScope } from '../lookup.ts';
import type { AdoptIndex } from './adopt-index.ts';
import { byPrecedence } from './precedence.ts';

export interface Sought {
  /** The resource that is to get the object. */
  readonly tuple: ResourceTuple;
  readonly adopt: JsonObject;
  /** The projects that the caller may see. */
  readonly scope: ProjectScope;
}

export interface TakenDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly adopted: Pick<AdoptIndex, 'importersOf'>;
}

/** Each is one read; only kubectl makes several resources with an equal `adopt`. */
const maxRead = 8;

/** @throws FairleadError `object_taken`, `object_not_found` */
export async function requireUntaken(
  { client, adopted }: TakenDeps,
  { namespace }: Organization,
  { tuple, adopt, scope }: Sought,
): Promise<void> {
  const { provider, resource } = tuple;
  const own = resourceKeyOf(namespace, tuple);
  const keys = adopted
    .importersOf({ namespace, provider, resource, adopt })
    .map(({ key }) => key)
    .filter((key) => key !== own);
  const reading = keys
    .slice(0, maxRead)
    .map((key) => read<Resource>(client, kinds.resource, refOf(key)));
  const text = canonicalJson(adopt);
  const [holder] = (await Promise.all(reading))
    .filter((found): found is Resource => found !== undefined && standsFor(found, text))
    .sort(byPrecedence);
  if (holder === undefined) return;
  const isVisible = isInScope(holder, scope);
  throw isVisible ? objectTaken(holder) : objectNotFound(tuple);
}

function standsFor({ spec }: Resource, adopt: string): boolean {
  if (spec.lifecycle === Lifecycle.Draft || spec.adopt === undefined) return false;
  return canonicalJson(spec.adopt as JsonObject) === adopt;
}

function objectTaken(holder: Resource): FairleadError {
  const { metadata, spec } = holder;
  const projectId = projectIdOf(holder);
  const resource = slashed(spec);
  const isInDeletion = metadata.deletionTimestamp !== undefined;
  const advice = isInDeletion
    ? 'it is being deleted; try again when it is gone'
    : 'use that one, or delete it first (with orphan=true, the object stays)';
  const message = `Resource ${resource} of project ${projectId} stands for the object that adopt identifies: ${advice}`;
  const context = { resource, project_id: projectId, deleting: isInDeletion };
  return new FairleadError('object_taken', message, { context });
}

/** Equal for an object that does not exist, and for one that a resource of another project has. */
export function objectNotFound(tuple: ResourceTuple): FairleadError {
  const message = `Provider ${tuple.provider} finds no object for ${slashed(tuple)}: nothing has what adopt says`;
  return new FairleadError('object_not_found', message);
}
