// The subject of an observation: a resource whose object the provider can look at, and how. Pure.
import { findCondition, Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import { Lifecycle } from '../../domain/lifecycle.ts';
import { observedEveryMs } from '../../domain/observation/interval.ts';
import { neverObserved } from '../../domain/resource-options.ts';
import { annotation } from '../../store/kinds.ts';
import type { TypeContent } from '../../store/providers/type-content.ts';
import { contentHashOf } from '../../store/resources/content.ts';
import { isReadOnly } from '../../store/resources/options.ts';
import { resourceState } from '../../store/resources/state.ts';
import type { KnownType } from '../resource/type/known-type.ts';
import type { ObservedSubject } from './meter.ts';

export interface Subject {
  readonly resource: Resource;
  readonly type: TypeContent;
  /** `namespace/name` of its provider. */
  readonly provider: string;
  readonly uid: string;
  /** Undefined: only on request. */
  readonly everyMs: number | undefined;
  /** The interval of the type, for an object that is observed only on request. */
  readonly typeEveryMs: number;
  /** Whether Fairlead only reads the object, and takes its outputs from there. */
  readonly isReadOnly: boolean;
}

/** Returns whether the status describes an object that nobody observes any more. */
export function isOutdated(resource: Resource, { type, content }: KnownType): boolean {
  const { drift, conditions } = resource.status ?? {};
  const says = drift !== undefined || findCondition(conditions, 'Observed') !== undefined;
  const isUnobserved = type !== undefined && content?.observe !== true;
  return says && isUnobserved && isManagedAndReady(resource);
}

/** @returns undefined for a resource that is not observed now */
export function subjectOf(resource: Resource, { type, content }: KnownType): Subject | undefined {
  const isServed = type !== undefined && type.retired === undefined;
  if (!isServed || content?.observe !== true) return undefined;
  const isReadOnly = isReadOnlyNow(resource);
  if (!isReadOnly && !isManagedAndReady(resource)) return undefined;
  const { metadata, spec } = resource;
  const typeEveryMs = observedEveryMs(content.observeEvery);
  const every = spec.observe?.every;
  return {
    resource,
    type: content,
    provider: `${metadata.namespace ?? ''}/${spec.provider}`,
    uid: metadata.uid ?? '',
    everyMs: every === neverObserved ? undefined : observedEveryMs(every, content.observeEvery),
    typeEveryMs,
    isReadOnly,
  };
}

function isManagedAndReady(resource: Resource): boolean {
  const { spec, status } = resource;
  if (isReadOnly(spec) || status?.management === 'Observed') return false;
  return resourceState(resource) === 'ready' && status?.appliedConfig !== undefined;
}

/** Reasons of a resource that is only observed. */
export const readOnlyReasons: readonly string[] = [Reason.Observing, Reason.Found, Reason.NotFound];

/** Once the resource reconciler has accepted it. */
function isReadOnlyNow({ metadata, spec, status }: Resource): boolean {
  const isMeant = isReadOnly(spec) && spec.lifecycle === Lifecycle.Committed;
  if (!isMeant || metadata.deletionTimestamp !== undefined) return false;
  const isAccepted = status?.management === 'Observed' && status.content === contentHashOf(spec);
  return isAccepted && readOnlyReasons.includes(status.reason);
}

/** @returns what metrics call a resource */
export function measuredSubject({ metadata, spec }: Resource): ObservedSubject {
  return {
    namespace: metadata.namespace ?? '',
    provider: spec.provider,
    type: spec.resource,
  };
}

/** @returns the request for an observation that was not answered yet */
export function requestOf({ metadata, status }: Resource): string | undefined {
  const request = metadata.annotations?.[annotation.observe]?.slice(0, maxRequestLength);
  return request === status?.observation?.request ? undefined : request;
}

const maxRequestLength = 64;
