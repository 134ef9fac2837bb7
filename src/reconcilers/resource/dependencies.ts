// Explains the dependencies of a Resource that are not ready. Pure except for cache reads. The worst one decides the reason;
// the message names all, up to a bound.
import { Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import { keyOf, objectNameOf, slashed } from '../../domain/identity.ts';
import type { Dependency } from '../../domain/lifecycle.ts';
import { type Informer, keyFor } from '../../kube/api.ts';
import { stateOf } from '../../store/resources/state.ts';
import { listed } from './claimed-event.ts';

/** From those that never become ready to those that will. */
const standings = ['otherProject', 'missing', 'failed', 'draft', 'coming'] as const;

export interface Unready {
  /** `provider/resource/name`. */
  readonly name: string;
  readonly is: (typeof standings)[number];
}

export type Dependent = Pick<Resource, 'metadata' | 'spec'>;

interface Found {
  readonly resource: Resource | undefined;
  readonly sameProject: boolean;
}

/** @returns the resource that a dependency names, in the namespace of its user */
export function findDependency(
  { metadata: { namespace }, spec: { project } }: Dependent,
  dependency: Dependency,
  resources: Pick<Informer<Resource>, 'get'>,
): Found {
  const name = objectNameOf(keyOf(dependency));
  const found = resources.get(keyFor({ namespace, name }));
  if (found === undefined || slashed(found.spec) !== slashed(dependency)) {
    return { resource: undefined, sameProject: false };
  }
  return { resource: found, sameProject: found.spec.project === project };
}

/** @returns undefined when it is ready */
export function standingOf(
  dependent: Dependent,
  dependency: Dependency,
  resources: Pick<Informer<Resource>, 'get'>,
): Unready | undefined {
  const name = slashed(dependency);
  const { resource, sameProject } = findDependency(dependent, dependency, resources);
  if (resource === undefined) return { name, is: 'missing' };
  if (!sameProject) return { name, is: 'otherProject' };
  const state = stateOf(resource);
  if (state === 'ready') return undefined;
  return { name, is: state === 'failed' || state === 'draft' ? state : 'coming' };
}

const reasons = {
  otherProject: Reason.DependencyInOtherProject,
  missing: Reason.DependencyMissing,
  failed: Reason.DependencyFailed,
  draft: Reason.DependencyDraft,
  coming: Reason.DependenciesNotReady,
} as const satisfies Record<Unready['is'], Reason>;

export interface Waiting {
  readonly reason: Reason;
  readonly message: string;
  /** Projects never change, neither that of the resource nor those of its dependencies. */
  readonly stalled: boolean;
}

/** @returns undefined when all dependencies are ready */
export function explainDependencies(
  unready: readonly Unready[],
  project: string,
): Waiting | undefined {
  const worst = standings.find((each) => unready.some(({ is }) => is === each));
  if (worst === undefined) return undefined;
  const sentences = standings.flatMap((is) => sentenceOf(unready, is, project));
  return {
    reason: reasons[worst],
    message: sentences.join('. '),
    stalled: worst === 'otherProject',
  };
}

function sentenceOf(
  unready: readonly Unready[],
  is: Unready['is'],
  project: string,
): readonly string[] {
  const names = unready.filter((each) => each.is === is).map(({ name }) => name);
  if (names.length === 0) return [];
  const one = names.length === 1;
  const noun = one ? 'Dependency' : 'Dependencies';
  const subject = `${noun} ${listed(names)}`;
  const sentences = {
    // Omits the other project: tokens confined to one project can read the message.
    otherProject: `${subject} ${one ? 'belongs' : 'belong'} to another project; dependencies must be in the same project (${project})`,
    missing: `${subject} ${one ? 'does' : 'do'} not exist in project ${project}`,
    failed: `${subject} failed`,
    draft: `${subject} ${one ? 'is a draft' : 'are drafts'}`,
    coming: `Waiting for ${noun.toLowerCase()} ${listed(names)} to become ready`,
  };
  return [sentences[is]];
}
