// The knowledge about the object of a ready resource: whether it has drifted from the config, or could not be observed. In words that name
// places in the config, and no values. Pure.
import { findCondition, Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { firstNames } from '../lib/text.ts';
import { iso, resourceState } from '../store/resources/state.ts';
import type { ChainPath, Explanation, Link, ProviderFacts } from './facts.ts';

type RecordedStatusDrift = NonNullable<NonNullable<Resource['status']>['drift']>;
type DriftReason = 'Drifted' | 'Gone' | 'CorrectionLoop';

export interface KnownDrift {
  readonly reason: DriftReason;
  readonly drift: RecordedStatusDrift;
  /** Whether a value that differs is not recorded: it is secret or too long, or there are too many. */
  readonly isPartial: boolean;
}

/** @returns undefined for a resource that is not ready: what is under way may change its object */
export function driftOf(resource: Resource): KnownDrift | undefined {
  const { drift, reason } = resource.status ?? {};
  if (drift === undefined || resourceState(resource) !== 'ready') return undefined;
  const isOmitted = drift.changes.some(
    ({ declared, actual }) => declared === undefined || actual === undefined,
  );
  const isPartial = isOmitted || drift.total > drift.changes.length;
  if (reason === Reason.CorrectionLoop) return { reason, drift, isPartial };
  return { reason: drift.kind === 'Gone' ? Reason.Gone : Reason.Drifted, drift, isPartial };
}

/** The reason why the object of a ready resource could not be observed, and since when. */
interface Unobserved {
  readonly message: string;
  readonly since: string;
}

export function unobservedOf(resource: Resource): Unobserved | undefined {
  if (resourceState(resource) !== 'ready') return undefined;
  const observed = findCondition(resource.status?.conditions, 'Observed');
  if (observed?.status !== 'False') return undefined;
  return { message: observed.message, since: iso(observed.lastTransitionTime) };
}

/** @returns what a sentence about the resource goes on with; undefined when nothing is wrong with its object */
export function objectInWords(
  resource: Resource,
  provider: ProviderFacts | undefined,
): string | undefined {
  const known = driftOf(resource);
  if (known === undefined) {
    if (unobservedOf(resource) === undefined) return undefined;
    return 'is ready, but its object could not be observed';
  }
  const held =
    provider?.correctionsHeld == null
      ? ''
      : `; so many objects of provider ${provider.provider} differ that corrections are held`;
  return `${driftMessage(resource, known)}${held}`;
}

function driftMessage({ status }: Resource, { reason, drift }: KnownDrift): string {
  const count = status?.corrections?.count ?? 0;
  const again = count === 0 ? 'again' : `again after ${countText(count, 'correction')}`;
  const isAgain = reason === Reason.CorrectionLoop;
  if (drift.kind === 'Gone')
    return `has no object any more: it is gone${isAgain ? ` ${again}` : ''}`;
  const { total, compared, changes } = drift;
  const differ = `${placesText(changes, total)} ${total === 1 ? 'differs' : 'differ'}`;
  const ofAll = `${total} of ${countText(compared, 'compared value')}`;
  return `has drifted${isAgain ? ` ${again}` : ''}: ${differ}, ${ofAll}`;
}

const maxPlaces = 3;

function placesText(changes: RecordedStatusDrift['changes'], total: number): string {
  const places = changes.map(({ path }) => path);
  return firstNames(places, maxPlaces, total);
}

/**
 * Many objects of a provider have drifted: none of them is the cause of the others.
 * @param explanation of the first of them
 * @returns undefined for a group that has not drifted, and for one resource
 */
export function ofDriftedGroup(
  { count, path: [{ resource }] }: { count: number; path: ChainPath },
  { summary, chain: [cause] }: Pick<Explanation, 'summary' | 'chain'>,
): { readonly summary: string; readonly cause: Link } | undefined {
  const known = driftOf(resource);
  if (known === undefined || count === 1) return undefined;
  const { provider } = resource.spec;
  const { reason, drift } = known;
  const verb = drift.kind === 'Gone' ? 'are gone' : 'differ from their config';
  const since = iso(drift.since);
  const link = { kind: 'provider', ref: provider, state: 'available', reason, via: null } as const;
  return {
    summary: `${count} objects of provider ${provider} ${verb}. The first: ${summary}`,
    cause:
      cause?.reason === Reason.CorrectionsHeld
        ? cause
        : { ...link, message: `${count} objects ${verb}`, since },
  };
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** @returns the provider, when its corrections are held or it could not observe the object */
export function objectLinks(
  resource: Resource,
  provider: ProviderFacts | undefined,
): readonly Link[] {
  const link = { kind: 'provider', ref: resource.spec.provider, via: null } as const;
  const held = driftOf(resource) === undefined ? undefined : provider?.correctionsHeld;
  const unobserved = unobservedOf(resource);
  return [
    ...(held == null
      ? []
      : [{ ...link, ...held, state: 'suspended' as const, reason: Reason.CorrectionsHeld }]),
    ...(unobserved === undefined
      ? []
      : [{ ...link, ...unobserved, state: 'failed' as const, reason: Reason.ObserveFailed }]),
  ];
}
