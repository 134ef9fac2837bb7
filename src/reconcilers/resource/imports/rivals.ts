// The rivals of a resource that is to get an object: other resources with an equal `adopt`. Reads caches.
import type { Resource } from '../../../crds/resource.ts';
import { projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { type Informer, type Key, keyFor } from '../../../kube/api.ts';
import { isPendingImport } from '../../../store/resources/apply/apply-adopt.ts';
import type { AdoptIndex } from '../../../store/resources/managed-objects/adopt-index.ts';
import { byPrecedence } from '../../../store/resources/managed-objects/precedence.ts';
import { isReadOnly } from '../../../store/resources/options.ts';
import type { UnrecordedAnswers } from '../delivery/unrecorded-answers.ts';

/** The resource that stands for an object. */
export interface Holder {
  readonly name: string;
  readonly inSameProject: boolean;
  readonly isInDeletion: boolean;
}

export interface Rivals {
  /** The resource that stands for the object instead of this one. */
  readonly holder: Holder | undefined;
  /** Whether a later one has an answer to its import that is being recorded: it decided when this one was not known. */
  readonly isContested: boolean;
}

export interface RivalsDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly adopted: Pick<AdoptIndex, 'othersLike'>;
  readonly answers: Pick<UnrecordedAnswers, 'find'>;
}

const none: Rivals = { holder: undefined, isContested: false };

/** @param content hash of the content of the present spec */
export function rivalsOf(resource: Resource, content: string, deps: RivalsDeps): Rivals {
  const { status } = resource;
  const isAccepted = status?.management === 'Observed' && status.content === content;
  if (isReadOnly(resource.spec) ? isAccepted : !isPendingImport(resource)) return none;
  const others = deps.adopted
    .othersLike(keyFor(resource.metadata))
    .flatMap(({ key }) => deps.resources.get(key) ?? [])
    .sort(byPrecedence);
  const [first] = others;
  if (first === undefined) return none;
  const { status: _ofOtherContent, ...unsettled } = resource;
  const isFirst = byPrecedence(isAccepted ? resource : unsettled, first) < 0;
  return {
    holder: isFirst ? undefined : holderIn(first, resource),
    isContested: others.some((other) => isBeingRecorded(other, deps)),
  };
}

/** @returns what a resource that only observes may wait for: an import with an event ends instead */
export function awaitedBy(
  resource: Resource,
  { adopted }: Pick<RivalsDeps, 'adopted'>,
): readonly Key[] {
  if (!isReadOnly(resource.spec) || resource.spec.lifecycle === Lifecycle.Draft) return [];
  return adopted.othersLike(keyFor(resource.metadata)).map(({ key }) => key);
}

function holderIn(holder: Resource, other: Resource): Holder {
  const { metadata, spec } = holder;
  return {
    name: slashed(spec),
    inSameProject: projectIdOf(holder) === projectIdOf(other),
    isInDeletion: metadata.deletionTimestamp !== undefined,
  };
}

function isBeingRecorded({ status }: Resource, { answers }: RivalsDeps): boolean {
  const { event } = status ?? {};
  return event?.type === 'OBSERVE' && answers.find(event)?.answer.kind === 'observed';
}
