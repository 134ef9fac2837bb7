// Limits dependencies: their number, and no cycles. The index may lag behind the stored resources, so a cycle that it
// reports is read again before an apply is rejected.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { InvalidRequest } from '../../../domain/errors.ts';
import {
  keyOf,
  type Organization,
  objectNameOf,
  projectIdOf,
  slashed,
} from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { dependenciesOf, referencesIn } from '../../../domain/references/references.ts';
import type { KubeClient } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { kinds } from '../../kinds.ts';
import { maxRounds, read } from '../../put.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';

export interface DependencyRulesDeps {
  readonly client: KubeClient;
  readonly dependencies: Pick<DependencyIndex, 'cycleThrough' | 'note'>;
}

const maxDependencies = 64;
/** Maximum number of resources of a longer cycle that are read again and named. */
const maxNamed = 20;

/** @throws InvalidRequest */
export function requireFewDependencies(spec: ResourceSpec): void {
  const { length } = dependenciesIn(spec);
  if (length <= maxDependencies) return;
  const declared = spec.dependencies?.length ?? 0;
  const msg = `A resource can have at most ${maxDependencies} dependencies, declared or by reference; this one has ${length}`;
  const loc = ['body', declared === length ? 'dependencies' : 'config'];
  throw new InvalidRequest([{ loc, msg, type: 'value_error' }]);
}

/** @throws InvalidRequest when the dependencies of the spec lead back to it */
export async function requireNoCycle(
  { client, dependencies }: DependencyRulesDeps,
  { namespace }: Organization,
  spec: ResourceSpec,
): Promise<void> {
  const wanted = dependenciesIn(spec);
  const start = { ...spec, projectId: projectIdOf({ metadata: { namespace }, spec }) };
  for (let round = 0; wanted.length > 0 && round < maxRounds; round += 1) {
    const cycle = dependencies.cycleThrough(namespace, start, wanted);
    if (cycle === undefined) return;
    const stale = await readAgain(client, namespace, cycle);
    if (stale === undefined) throw refusal(spec, cycle);
    // It does not exist, so it is in no cycle, and the cache will catch up.
    if (stale === 'missing') return;
    dependencies.note(stale);
  }
}

function dependenciesIn({ dependencies, config }: ResourceSpec): readonly Dependency[] {
  return dependenciesOf({ dependencies, config: config as JsonObject });
}

/** @returns the first resource along a cycle that differs from the index */
async function readAgain(
  client: KubeClient,
  namespace: string,
  cycle: readonly string[],
): Promise<Resource | 'missing' | undefined> {
  for (const [index, slashedName] of cycle.slice(1, -1).slice(0, maxNamed).entries()) {
    const [provider = '', resource = '', name = ''] = slashedName.split('/');
    const ref = { namespace, name: objectNameOf(keyOf({ provider, resource, name })) };
    const found = await read<Resource>(client, kinds.resource, ref);
    if (found === undefined) return 'missing';
    const next = cycle[index + 2];
    if (!dependenciesIn(found.spec).some((each) => slashed(each) === next)) return found;
  }
  return undefined;
}

function refusal(spec: ResourceSpec, cycle: readonly string[]): InvalidRequest {
  const [, culprit = ''] = cycle;
  const declared = (spec.dependencies ?? []).findIndex((each) => slashed(each) === culprit);
  const references = referencesIn(spec.config as JsonObject);
  const { at = [], text } = references.find(({ to }) => slashed(to) === culprit) ?? {};
  const msg = `The dependencies form a cycle: ${shortened(cycle).join(' → ')}`;
  const place =
    declared < 0
      ? { loc: ['body', 'config', ...at], input: text }
      : { loc: ['body', 'dependencies', declared], input: spec.dependencies?.[declared] };
  return new InvalidRequest([{ ...place, msg, type: 'value_error' }]);
}

function shortened(cycle: readonly string[]): readonly string[] {
  if (cycle.length <= maxNamed + 1) return cycle;
  return [...cycle.slice(0, maxNamed), '…', ...cycle.slice(-1)];
}
