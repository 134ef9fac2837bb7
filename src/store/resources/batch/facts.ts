// The facts on which the plan of a member depends beside the request. A digest of plans covers it, so that a plan that was approved is carried out
// only while all of it is the same. A write of a status alone changes nothing here.
import { createHash } from 'node:crypto';
import type { Resource } from '../../../crds/resource.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { type Key, refOf } from '../../../kube/api.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import type { CheckDeps } from '../apply/apply-checks.ts';
import { type DependencyIndex, resourceKeyOf } from '../dependencies/dependency-index.ts';
import { unreadyDependency } from '../dependencies/unready-dependency.ts';
import { dependenciesIn, usesOf } from '../dependencies/uses.ts';
import type { DecidedMember } from './member.ts';

export interface MemberFacts {
  /** Resources that must be ready first, and are not: `provider/resource/name`. */
  readonly waitsFor: readonly string[];
  /** References whose outputs may change. */
  readonly knownAfter: readonly { readonly path: string; readonly resource: string }[];
  /** Beside the request, for the digest. */
  readonly stored: JsonObject;
}

export const noFacts: MemberFacts = { waitsFor: [], knownAfter: [], stored: {} };

export interface Touched {
  readonly resource: string;
  readonly through: string;
}

type FactsDeps = Pick<CheckDeps, 'known'> & {
  readonly dependencies: Pick<DependencyIndex, 'usersOf'>;
};

const eventful: readonly string[] = ['create', 'import', 'update', 'replace', 'retry'];

/** @returns the facts of each member, in their order */
export function factsOf(
  deps: Pick<FactsDeps, 'known'>,
  { namespace }: Organization,
  members: readonly DecidedMember[],
): readonly MemberFacts[] {
  const changing = new Set(
    members
      .filter(({ change }) => eventful.includes(change))
      .map(({ wanted }) => slashed(wanted.tuple)),
  );
  const get = (key: Key) => deps.known({ ...refOf(key), namespace });
  return members.map(({ existing, spec, change, forcedBy }) => {
    const dependent = { metadata: { name: '', namespace }, spec };
    const dependencies = spec.lifecycle === Lifecycle.Draft ? [] : dependenciesIn(spec);
    const waitsFor = dependencies
      .map((each) => [slashed(each), unreadyDependency(dependent, each, { get })] as const)
      .filter(([name, unready]) => unready !== undefined || changing.has(name))
      .map(([name]) => name);
    const references = referencesIn(spec.config as JsonObject);
    const { outputsOf } = usesOf(deps, namespace, { spec, existing: undefined });
    const knownAfter = references
      .filter(({ to }) => changing.has(slashed(to)) || outputsOf(to) === undefined)
      .map(({ at, to }) => ({ path: ['config', ...at].join('.'), resource: slashed(to) }));
    const used = new Map(references.map(({ to }) => [slashed(to), outputsOf(to) ?? null]));
    const outputs = Object.fromEntries([...used].map(([name, value]) => [name, hashOf(value)]));
    const { uid = null, generation = null } = existing?.metadata ?? {};
    const project = projectIdOf({ metadata: { namespace }, spec });
    const replaces = change === 'replace';
    const stored = { uid, generation, outputs, project, replaces, forcedBy };
    return { waitsFor, knownAfter, stored };
  });
}

/** @returns resources that the batch does not write, and which get an UPDATE when an output that they use changes */
export function touchedBy(
  { known, dependencies }: FactsDeps,
  { namespace }: Organization,
  members: readonly DecidedMember[],
): readonly Touched[] {
  const own = new Set(members.map(({ wanted }) => slashed(wanted.tuple)));
  const readersOf = ({ wanted, spec }: DecidedMember): readonly Touched[] => {
    const through = slashed(wanted.tuple);
    const project = projectIdOf({ metadata: { namespace }, spec });
    const keys = [...dependencies.usersOf(resourceKeyOf(namespace, wanted.tuple))];
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
