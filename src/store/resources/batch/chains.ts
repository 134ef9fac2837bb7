// Users of a resource that is replaced are replaced with it, when the same request names them: their objects are deleted first and made
// last. Reconcilers order the events; here is decided who takes part, and that what is used is written before its users. Otherwise a user
// could be made again from the old outputs.
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { dependenciesIn } from '../dependencies/uses.ts';
import { isReadOnly } from '../options.ts';
import { isBetweenObjects, replacementDue } from '../state.ts';
import type { BatchMember, DecidedMember } from './member.ts';

interface StoredMember {
  readonly member: BatchMember;
  readonly existing: Resource | undefined;
}

/**
 * Returns whether a user of a resource that is replaced is not in the way: it has no object, or one that is deleted first. Something of
 * a CREATE that has not succeeded may exist, and nothing deletes it.
 */
export function faresWithReplaced({ member, existing }: StoredMember): boolean {
  const { event, appliedConfig } = existing?.status ?? {};
  const isNamed = member.wanted.config !== undefined;
  return isNamed && (event === undefined || appliedConfig !== undefined || isOnItsWay(existing));
}

/**
 * Finds members that use one that is replaced, or was to be when an earlier request ended half-way.
 * @returns by their places, the names of what they use
 */
export function usersOfReplaced(
  members: readonly (DecidedMember | undefined)[],
): ReadonlyMap<number, readonly string[]> {
  const replaced = new Set(members.flatMap((each) => (isReplaced(each) ? [memberName(each)] : [])));
  const users = new Map<number, readonly string[]>();
  for (const [index, each] of members.entries()) {
    if (each === undefined || !canBeReplaced(each)) continue;
    const used = dependenciesIn(each.spec).map(slashed);
    const through = used.filter((name) => replaced.has(name));
    if (through.length > 0) users.set(index, through);
  }
  return users;
}

/** @returns the member as it is planned again */
export function replacedToo({ wanted, ...rest }: BatchMember): BatchMember {
  return { ...rest, wanted: { ...wanted, replace: true, isUserOfReplaced: true } };
}

/** @returns the member with the paths of the references that force its replacement */
export function withChain(member: DecidedMember, replacedWith: readonly string[]): DecidedMember {
  const through = new Set(replacedWith);
  const references = referencesIn(member.spec.config as JsonObject);
  const paths = references
    .filter(({ to }) => through.has(slashed(to)))
    .map(({ at }): FieldPath => at.map(String));
  return { ...member, replacedWith, forcedBy: [...member.forcedBy, ...paths] };
}

/** @returns the places of the members in the order of their writes: those of one group at once, and after all before */
export function inOrderOfReplacement(
  members: readonly DecidedMember[],
): readonly (readonly number[])[] {
  const places = new Map(members.map((each, index) => [memberName(each), index]));
  const depths: number[] = [];
  const depthOf = (index: number): number => {
    const known = depths[index];
    if (known !== undefined) return known;
    const { replacedWith = [] } = members[index] as DecidedMember;
    const used = replacedWith.flatMap((name) => places.get(name) ?? []);
    // kubectl can make a cycle.
    depths[index] = 0;
    depths[index] = used.reduce((most, each) => Math.max(most, depthOf(each) + 1), 0);
    return depths[index];
  };
  const groups: number[][] = [];
  for (const index of members.keys()) {
    const depth = depthOf(index);
    groups[depth] ??= [];
    groups[depth].push(index);
  }
  return groups;
}

function memberName({ member }: DecidedMember): string {
  return slashed(member.wanted.tuple);
}

function isReplaced(member: DecidedMember | undefined): member is DecidedMember {
  if (member === undefined) return false;
  const { change, existing } = member;
  return change === 'replace' || (existing !== undefined && replacementDue(existing) !== undefined);
}

function canBeReplaced({ change, existing, spec, replacedWith }: DecidedMember): boolean {
  if (existing?.status?.appliedConfig === undefined || isOnItsWay(existing)) return false;
  const isSettled = change !== 'replace' && replacedWith === undefined;
  return isSettled && spec.lifecycle === Lifecycle.Committed && !isReadOnly(spec);
}

/** Returns whether its replacement has begun, or will. */
function isOnItsWay(existing: Resource | undefined): boolean {
  const { status } = existing ?? {};
  if (existing === undefined || status === undefined) return false;
  const isDeletingOld = status.event?.type === 'DELETE' && status.event.replacement !== undefined;
  return isDeletingOld || isBetweenObjects(status) || replacementDue(existing) !== undefined;
}
