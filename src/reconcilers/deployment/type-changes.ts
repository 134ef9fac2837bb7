// Pure. Computes the writes of ResourceDefinitions around the takeover of a version. Before it, the definitions of the version
// are stored beside those in force, where they change nothing. After it, they take their place, which changes nothing either:
// what is in force depends on the version that serves.
import type { Build } from '../../crds/build.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { definitionNameOf } from '../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { typeContent } from '../../store/providers/type-content.ts';
import {
  retirementBy,
  type ServingVersion,
  servingVersionOf,
} from '../../store/providers/type-in-force.ts';
import type { Observed } from './observe.ts';

type Spec = ResourceDefinition['spec'];
type RecordedBuiltType = NonNullable<NonNullable<Build['status']>['types']>[number];

export type TypeChange =
  | {
      readonly do: 'write';
      readonly name: string;
      /** Undefined: to be created. */
      readonly existing: ResourceDefinition | undefined;
      readonly spec: Spec;
    }
  | { readonly do: 'remove'; readonly existing: ResourceDefinition };

/** @returns what is missing before the wanted version may take over; nothing once it has */
export function typesToStage({ provider, build, definitions }: Observed): readonly TypeChange[] {
  const { provider: name, version = '' } = provider.spec;
  const serving = servingVersionOf(provider);
  if (serving?.version === version) return [];
  const types = build?.status?.types ?? [];
  const known = new Map(definitions.map((each) => [each.spec.resource, each]));
  const ofVersion = types.map((type) =>
    changeTo(known.get(type.resource), withType({ provider: name, version, type }, known)),
  );
  const has = new Set(types.map(({ resource }) => resource));
  const others = definitions
    .filter(({ spec }) => !has.has(spec.resource))
    .map((each) => withoutType(each, version, serving));
  return [...ofVersion, ...others].flatMap((each) => each ?? []);
}

/**
 * Comes before `typesToStage`, also when yet another version is wanted: that would replace definitions that are in force.
 * @returns what remains to be written after the takeover, or after a version was given up
 */
export function typesToSettle(observed: Observed): readonly TypeChange[] {
  const { provider, definitions } = observed;
  const serving = servingVersionOf(provider);
  if (serving === undefined) return [];
  const isRolling = serving.version !== provider.spec.version;
  return definitions
    .filter(({ spec: { next } }) => !isRolling || next?.version === serving.version)
    .flatMap((each) => settled(each, serving, observed) ?? []);
}

function withType(
  { provider, version, type }: { provider: string; version: string; type: RecordedBuiltType },
  known: ReadonlyMap<string, ResourceDefinition>,
): Spec {
  const existing = known.get(type.resource)?.spec;
  const { resource } = type;
  if (existing === undefined) {
    // In force from the takeover on.
    return { provider, resource, ...typeContent(type), providerVersion: version };
  }
  const { next: _before, ...base } = existing;
  const isOfVersion = base.retired === undefined && base.providerVersion === version;
  return isOfVersion ? base : { ...base, next: { version, ...typeContent(type) } };
}

function withoutType(
  existing: ResourceDefinition,
  version: string,
  serving: ServingVersion | undefined,
): TypeChange | undefined {
  if (wasNeverServed(existing.spec, serving)) return { do: 'remove', existing };
  const { next: _before, ...base } = existing.spec;
  if (base.retired !== undefined) return changeTo(existing, base);
  return changeTo(existing, { ...base, next: { version, description: '', retired: true } });
}

function settled(
  existing: ResourceDefinition,
  serving: ServingVersion,
  { usedTypes }: Observed,
): TypeChange | undefined {
  const { next, retired, ...base } = existing.spec;
  const isUsed = usedTypes.has(base.resource);
  if (next?.version === serving.version) {
    if (next.retired !== true) return changeTo(existing, replacedBy(next, base));
    if (!isUsed) return { do: 'remove', existing };
    return changeTo(existing, { ...base, retired: retirementBy(serving) });
  }
  const isOver = retired === undefined ? wasNeverServed(base, serving) : !isUsed;
  if (isOver) return { do: 'remove', existing };
  return changeTo(existing, { ...base, ...(retired === undefined ? {} : { retired }) });
}

/** A definition of a version that was given up before it served. */
function wasNeverServed(
  { providerVersion, retired, next }: Spec,
  serving: ServingVersion | undefined,
): boolean {
  if (providerVersion === undefined || retired !== undefined) return false;
  const version = serving?.version;
  return providerVersion !== version && (next === undefined || next.version !== version);
}

function replacedBy(next: NonNullable<Spec['next']>, { provider, resource }: Spec): Spec {
  return { provider, resource, ...typeContent(next), providerVersion: next.version };
}

function changeTo(existing: ResourceDefinition | undefined, spec: Spec): TypeChange | undefined {
  const isSame =
    existing !== undefined &&
    canonicalJson(existing.spec as unknown as JsonObject) ===
      canonicalJson(spec as unknown as JsonObject);
  const name = definitionNameOf(spec.provider, spec.resource);
  return isSame ? undefined : { do: 'write', name, existing, spec };
}
