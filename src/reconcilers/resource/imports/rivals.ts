// The rivals of a resource: others that stand for its object, or for the one that it is to get. Reads caches.
import type { Resource } from '../../../crds/resource.ts';
import { projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { type Informer, type Key, keyFor } from '../../../kube/api.ts';
import { isPendingImport } from '../../../store/resources/apply/apply-adopt.ts';
import {
  type Claimant,
  type IdentityIndex,
  type NamespacedType,
  namespacedTypeOf,
} from '../../../store/resources/managed-objects/identity-index.ts';
import { byPrecedence, hasObject } from '../../../store/resources/managed-objects/precedence.ts';
import { isReadOnly } from '../../../store/resources/options.ts';
import type { UnrecordedAnswer, UnrecordedAnswers } from '../delivery/unrecorded-answers.ts';
import { isEventSettled } from '../status/event-status.ts';

/** The resource that stands for an object. */
export interface Holder {
  readonly name: string;
  readonly inSameProject: boolean;
  readonly isInDeletion: boolean;
}

/** The object that the outputs of an answer name. */
export interface NamedObject {
  readonly identity: string;
  /** Another resource that has it. */
  readonly holder: Holder | undefined;
  /** Whether an answer to another resource came before, names it, too, and is being recorded. */
  readonly isContested: boolean;
}

export interface Rivals {
  /** The resource that stands for the object instead of this one. */
  readonly holder: Holder | undefined;
  /** Whether a later one has an answer to its import that is being recorded: it decided when this one was not known. */
  readonly isContested: boolean;
  /** Undefined without an answer, for a type without an identity, and for the object that the resource has. */
  readonly named?: NamedObject | undefined;
}

export interface RivalsDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly claimants: Pick<IdentityIndex, 'of' | 'othersLike' | 'ofOutputs' | 'claimantsOf'>;
  readonly answers: Pick<UnrecordedAnswers, 'find' | 'before'>;
}

/**
 * @param content hash of the content of the present spec
 * @param unrecorded the answer that is about to be recorded
 */
export function rivalsOf(
  resource: Resource,
  content: string,
  unrecorded: UnrecordedAnswer | undefined,
  deps: RivalsDeps,
): Rivals {
  const named = unrecorded && namedBy(unrecorded, resource, deps);
  const others = cached(
    deps.claimants.othersLike(namespacedTypeOf(resource), keyFor(resource.metadata)),
    deps,
  );
  const [first] = others;
  if (first === undefined) return { holder: undefined, isContested: false, named };
  const { status: _ofOtherContent, ...unsettled } = resource;
  const isFirst = byPrecedence(isSettled(resource, content) ? resource : unsettled, first) < 0;
  return {
    holder: isFirst ? undefined : holderIn(first, resource),
    isContested: isPendingImport(resource) && others.some((other) => isBeingRecorded(other, deps)),
    named,
  };
}

/** Returns whether the status is about the object of the present spec: one that is only observed may be another with each content. */
function isSettled({ spec, status }: Resource, content: string): boolean {
  const isObserved = isReadOnly(spec) || status?.management === 'Observed';
  return !isObserved || (status?.management === 'Observed' && status.content === content);
}

/** An event or an import found the object, which no resource may have that has it already. */
function namedBy(
  unrecorded: UnrecordedAnswer,
  resource: Resource,
  deps: RivalsDeps,
): NamedObject | undefined {
  const { metadata } = resource;
  const type = namespacedTypeOf(resource);
  const identity = identityNamed(unrecorded, type, deps);
  // The resource has the object already: who comes first of several decides.
  if (identity === undefined || hasIdentity(resource, identity, deps)) return undefined;
  const key = keyFor(metadata);
  const others = deps.claimants.claimantsOf(type, identity).filter((each) => each.key !== key);
  const owner = cached(others, deps).find(hasObject);
  const isContested = isNamedBefore(resource, identity, deps);
  return { identity, holder: owner && holderIn(owner, resource), isContested };
}

function identityNamed(
  { answer }: UnrecordedAnswer,
  type: NamespacedType,
  { claimants }: RivalsDeps,
): string | undefined {
  const isFound = answer.kind === 'succeeded' || (answer.kind === 'observed' && answer.exists);
  return isFound ? claimants.ofOutputs(type, answer.outputs) : undefined;
}

/** The order of the answers decides between two that are recorded at once: no status shows the object yet. */
function isNamedBefore(resource: Resource, identity: string, deps: RivalsDeps): boolean {
  const { resources, answers } = deps;
  const event = resource.status?.event;
  if (event === undefined) return false;
  const type = namespacedTypeOf(resource);
  return answers.before(event).some(({ key, unrecorded }) => {
    const other = resources.get(key);
    const isOther = other !== undefined && key !== keyFor(resource.metadata);
    if (!isOther || !hasType(other, type) || !isToBeRecorded(other, unrecorded, deps)) return false;
    return identityNamed(unrecorded, type, deps) === identity;
  });
}

function hasType(resource: Resource, type: NamespacedType): boolean {
  const { metadata, spec } = resource;
  const isInNamespace = metadata.namespace === type.namespace;
  return isInNamespace && spec.provider === type.provider && spec.resource === type.resource;
}

function isToBeRecorded(
  { status }: Resource,
  unrecorded: UnrecordedAnswer,
  { answers }: RivalsDeps,
) {
  if (status?.event === undefined || isEventSettled(status)) return false;
  return answers.find(status.event) === unrecorded;
}

function hasIdentity(resource: Resource, identity: string, { claimants }: RivalsDeps): boolean {
  return resource.status?.outputs !== undefined && claimants.of(resource) === identity;
}

/** @returns what a resource without an event may wait for: an import with one ends instead */
export function awaitedBy(
  resource: Resource,
  { claimants }: Pick<RivalsDeps, 'claimants'>,
): readonly Key[] {
  if (resource.spec.lifecycle === Lifecycle.Draft) return [];
  return claimants
    .othersLike(namespacedTypeOf(resource), keyFor(resource.metadata))
    .map(({ key }) => key);
}

function cached(claimants: readonly Claimant[], { resources }: RivalsDeps): readonly Resource[] {
  return claimants.flatMap(({ key }) => resources.get(key) ?? []).sort(byPrecedence);
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
