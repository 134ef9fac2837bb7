// Refuses a resource that would stand for the object of another one. The index yields candidates, and each is read again, because the index may
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
import type { JsonObject } from '../../../lib/json.ts';
import { kinds } from '../../kinds.ts';
import { read } from '../../put.ts';
import type { ProjectScope } from '../../records.ts';
import { resourceKeyOf } from '../dependencies/dependency-index.ts';
import { isInScope } from '../lookup.ts';
import type { IdentityIndex } from './identity-index.ts';
import { byPrecedence, hasObject } from './precedence.ts';

export interface Sought {
  /** The resource that is to get the object. */
  readonly tuple: ResourceTuple;
  /** Undefined: the object that the resource observes. */
  readonly adopt?: JsonObject | undefined;
  /** The outputs of the object, when its provider returned them. */
  readonly outputs?: JsonObject | undefined;
  /** The projects that the caller may see. */
  readonly scope: ProjectScope;
}

export interface TakenDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly claimants: Pick<
    IdentityIndex,
    'of' | 'ofAdopt' | 'ofOutputs' | 'claimantsOf' | 'othersLike'
  >;
}

/** Each is one read; only kubectl and races make several resources of one object. */
const maxRead = 8;

/** @throws FairleadError `object_taken`, `object_not_found` */
export async function requireUntaken(
  { client, claimants }: TakenDeps,
  { namespace }: Organization,
  { tuple, adopt, outputs, scope }: Sought,
): Promise<void> {
  const { provider, resource } = tuple;
  const own = resourceKeyOf(namespace, tuple);
  const type = { namespace, provider, resource };
  const identities = [
    adopt && claimants.ofAdopt(type, adopt),
    outputs && claimants.ofOutputs(type, outputs),
  ].filter((each) => each !== undefined);
  const found = [
    ...identities.flatMap((identity) => claimants.claimantsOf(type, identity)),
    ...(adopt === undefined ? claimants.othersLike(type, own) : []),
  ];
  const keys = [...new Set(found.map(({ key }) => key))].filter((key) => key !== own);
  const reading = keys
    .slice(0, maxRead)
    .map((key) => read<Resource>(client, kinds.resource, refOf(key)));
  const standsFor = (stored: Resource) => {
    const identity = claimants.of(stored);
    if (stored.spec.lifecycle === Lifecycle.Draft || identity === undefined) return false;
    return adopt === undefined ? hasObject(stored) : identities.includes(identity);
  };
  const [holder] = (await Promise.all(reading))
    .filter((stored): stored is Resource => stored !== undefined && standsFor(stored))
    .sort(byPrecedence);
  if (holder === undefined) return;
  const isVisible = isInScope(holder, scope);
  throw isVisible ? objectTaken(holder) : objectNotFound(tuple);
}

function objectTaken(holder: Resource): FairleadError {
  const { metadata, spec } = holder;
  const projectId = projectIdOf(holder);
  const resource = slashed(spec);
  const isInDeletion = metadata.deletionTimestamp !== undefined;
  const advice = isInDeletion
    ? 'it is being deleted; try again when it is gone'
    : 'use that one, or delete it first (with orphan=true, the object stays)';
  const message = `Resource ${resource} of project ${projectId} stands for the object: ${advice}`;
  const context = { resource, project_id: projectId, deleting: isInDeletion };
  return new FairleadError('object_taken', message, { context });
}

/** Equal for an object that does not exist, and for one that a resource of another project has. */
export function objectNotFound(tuple: ResourceTuple): FairleadError {
  const message = `Provider ${tuple.provider} finds no object for ${slashed(tuple)}: nothing has what adopt says`;
  return new FairleadError('object_not_found', message);
}
