// The facts on which the plan of a member depends beside the request. A digest of plans covers it, so that a plan that was approved is carried out
// only while all of it is the same. A write of a status alone changes nothing here.
import { createHash } from 'node:crypto';
import type { Resource } from '../../../crds/resource.ts';
import { sendsEvent } from '../../../domain/apply-plans.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { type Key, keyFor, refOf } from '../../../kube/api.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { inTimeSlices } from '../../../lib/turns.ts';
import type { CheckDeps } from '../apply/apply-checks.ts';
import { refFor } from '../apply/prepare.ts';
import { type DependencyIndex, resourceKeyOf } from '../dependencies/dependency-index.ts';
import { unreadyDependency } from '../dependencies/unready-dependency.ts';
import { dependenciesIn, usesOf } from '../dependencies/uses.ts';
import type { DecidedMember } from './member.ts';

export interface MemberFacts {
  /** Resources that must be ready before its event is sent, and are not: `provider/resource/name`. */
  readonly waitsFor: readonly string[];
  /** References whose outputs may change. */
  readonly knownAfter: readonly { readonly path: string; readonly resource: string }[];
  /** Beside the request, for the digest. */
  readonly stored: JsonObject;
}

export interface Touched {
  readonly resource: string;
  readonly through: string;
}

export type FactsDeps = Pick<CheckDeps, 'known' | 'providers'> & {
  readonly dependencies: Pick<DependencyIndex, 'usersOf'>;
};

/**
 * Facts about the members as they were read, and about what exists beside them, from the cache.
 * @returns the facts of each member, in their order
 */
export async function factsAmong(
  { known, providers }: Pick<FactsDeps, 'known' | 'providers'>,
  organization: Organization,
  members: readonly DecidedMember[],
): Promise<readonly MemberFacts[]> {
  const { namespace } = organization;
  const read = new Map(
    members.map(({ member, existing }) => [keyFor(refFor(organization, member.wanted)), existing]),
  );
  const get = (key: Key) => (read.has(key) ? read.get(key) : known({ ...refOf(key), namespace }));
  const changing = new Set(
    members
      .filter(({ change }) => sendsEvent(change))
      .map(({ member }) => slashed(member.wanted.tuple)),
  );
  const facts: MemberFacts[] = [];
  await inTimeSlices(members, ({ existing, spec, change, forcedBy }) => {
    const dependent = { metadata: { name: '', namespace }, spec };
    const waits = spec.lifecycle !== Lifecycle.Draft && sendsEvent(change);
    const waitsFor = (waits ? dependenciesIn(spec) : [])
      .map((each) => [slashed(each), unreadyDependency(dependent, each, { get })] as const)
      .filter(([name, unready]) => unready !== undefined || changing.has(name))
      .map(([name]) => name);
    const references = referencesIn(spec.config as JsonObject);
    const uses = { known: (ref: { name: string }) => get(keyFor({ ...ref, namespace })) };
    const { outputsOf } = usesOf(uses, namespace, { spec, existing: undefined });
    const knownAfter = references
      .filter(({ to }) => changing.has(slashed(to)) || outputsOf(to) === undefined)
      .map(({ at, to }) => ({ path: ['config', ...at].join('.'), resource: slashed(to) }));
    const used = new Map(references.map(({ to }) => [slashed(to), outputsOf(to) ?? null]));
    const outputs = Object.fromEntries([...used].map(([name, value]) => [name, hashOf(value)]));
    const { uid = null, generation = null } = existing?.metadata ?? {};
    const project = projectIdOf({ metadata: { namespace }, spec });
    const replaces = change === 'replace';
    const serving = providers.servingVersion(organization, spec.provider) ?? null;
    const stored = { uid, generation, outputs, project, replaces, forcedBy, serving };
    facts.push({ waitsFor, knownAfter, stored });
  });
  return facts;
}

/** @returns resources that the batch does not write, and which get an UPDATE when an output that they use changes */
export function touchedBy(
  { known, dependencies }: Pick<FactsDeps, 'known' | 'dependencies'>,
  { namespace }: Organization,
  members: readonly DecidedMember[],
): readonly Touched[] {
  const own = new Set(members.map(({ member }) => slashed(member.wanted.tuple)));
  const readersOf = ({ member, spec }: DecidedMember): readonly Touched[] => {
    const through = slashed(member.wanted.tuple);
    const project = projectIdOf({ metadata: { namespace }, spec });
    const keys = [...dependencies.usersOf(resourceKeyOf(namespace, member.wanted.tuple))];
    return keys
      .flatMap((key) => known({ ...refOf(key), namespace }) ?? [])
      .filter((user) => projectIdOf(user) === project && reads(user, through))
      .map((user) => ({ resource: slashed(user.spec), through }));
  };
  const touched = members
    .filter(({ change }) => change === 'update' || change === 'replace')
    .flatMap(readersOf)
    .filter(({ resource }) => !own.has(resource));
  return [...new Map(touched.map((each) => [each.resource, each])).values()];
}

function reads({ spec }: Resource, name: string): boolean {
  return referencesIn(spec.config as JsonObject).some(({ to }) => slashed(to) === name);
}

function hashOf(value: JsonObject | null): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
