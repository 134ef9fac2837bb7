// Refuses a build whose types give an immutable field another default without another version: resources that do not declare it would
// change with the next event. A migration cannot help there, since their version stays.
import type { Build } from '../../crds/build.ts';
import type { Provider } from '../../crds/provider.ts';
import type { Resource } from '../../crds/resource.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { definitionNameOf, slashed, typeName } from '../../domain/identity.ts';
import { effectiveValue, isSameField } from '../../domain/schemas/declared.ts';
import { immutableRuleOfType } from '../../domain/schemas/immutable-changes.ts';
import { type FieldPath, immutableFields } from '../../domain/schemas/immutable-fields.ts';
import {
  acceptedVersions,
  firstTypeVersion,
  schemaForVersion,
  type TypeWithSchemas,
} from '../../domain/type-version.ts';
import { type Informer, keyFor } from '../../kube/api.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { betweenSteps } from '../../lib/turns.ts';
import type { BuiltType } from '../../store/builds/store.ts';
import { typeInForce } from '../../store/providers/type-in-force.ts';

export interface KeptDefaultsDeps {
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
  readonly resources: Pick<Informer<Resource>, 'items'>;
}

/** @returns a sentence without a full stop, for the author; undefined where every resource keeps the value that it has */
export async function changedDefaultProblem(
  { metadata: { namespace = '' }, spec: { provider } }: Build,
  types: readonly BuiltType[],
  deps: KeptDefaultsDeps,
): Promise<string | undefined> {
  for (const built of types) {
    const { resource } = built;
    const name = definitionNameOf(provider, resource);
    const found = deps.definitions.get(keyFor({ namespace, name }));
    const serving = deps.providers.get(keyFor({ namespace, name: provider }));
    const content = found && typeInForce(found, serving)?.content;
    if (content === undefined) continue;
    for (const schemas of changedSchemas(content as TypeWithSchemas, built)) {
      const changed = await firstChange(schemas, { namespace, provider, resource }, deps);
      if (changed !== undefined) return changedInPlace(schemas, changed, built);
    }
  }
  return undefined;
}

interface ChangedSchemas {
  readonly version: number;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Immutable in both. */
  readonly fields: readonly FieldPath[];
}

/** Only of versions that both have, and in which a field is immutable. */
function* changedSchemas(
  inForce: TypeWithSchemas,
  built: TypeWithSchemas,
): Iterable<ChangedSchemas> {
  const next = new Set(acceptedVersions(built));
  for (const version of acceptedVersions(inForce).filter((each) => next.has(each))) {
    const { schema: before } = schemaForVersion(inForce, version);
    const { schema: after } = schemaForVersion(built, version);
    if (before === undefined || after === undefined) continue;
    const marked = new Set(immutableFields(before).map((path) => canonicalJson(path)));
    const { fields: all } = immutableRuleOfType(built, version, version);
    const fields = all.filter((path) => marked.has(canonicalJson(path)));
    const isSame = fields.length === 0 || canonicalJson(before) === canonicalJson(after);
    if (!isSame) yield { version, before, after, fields };
  }
}

interface ChangedDefault {
  readonly field: FieldPath;
  readonly resource: Resource;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

async function firstChange(
  schemas: ChangedSchemas,
  of: Pick<Resource['spec'], 'provider' | 'resource'> & { readonly namespace: string },
  { resources }: KeptDefaultsDeps,
): Promise<ChangedDefault | undefined> {
  for (const resource of resources.items(of.namespace)) {
    const { spec } = resource;
    if (spec.provider !== of.provider || spec.resource !== of.resource) continue;
    await betweenSteps();
    const found = changeOf(resource, schemas);
    if (found !== undefined) return found;
  }
  return undefined;
}

function changeOf(
  resource: Resource,
  { version, before, after, fields }: ChangedSchemas,
): ChangedDefault | undefined {
  const { appliedConfig, appliedTypeVersion = firstTypeVersion } = resource.status ?? {};
  if (appliedConfig === undefined || appliedTypeVersion !== version) return undefined;
  const config = appliedConfig as JsonObject;
  const sides = [
    { config, schema: before },
    { config, schema: after },
  ] as const;
  const valuesOf = (field: FieldPath) => sides.map((side) => effectiveValue(side, field));
  const changed = fields.find((field) => {
    const [left, right] = valuesOf(field);
    // A default that is gone was known, and nobody has declared it.
    const isGone = left !== undefined && right === undefined;
    return isGone || !isSameField(field, sides);
  });
  if (changed === undefined) return undefined;
  const [left, right] = valuesOf(changed);
  return { field: changed, resource, before: left, after: right };
}

function changedInPlace(
  { version }: ChangedSchemas,
  { field, resource, before, after }: ChangedDefault,
  { typeVersion = firstTypeVersion }: BuiltType,
): string {
  const { spec } = resource;
  const [name, own = ''] = [field.join('.'), field.at(-1)];
  const [old, next] = [before, after].map((each) =>
    each === undefined ? 'none' : JSON.stringify(each),
  );
  const what = `Type ${typeName(spec)}: the default of ${name}, which cannot change once a resource exists, is ${next} in version ${version}, and was ${old}`;
  return `${what}. Resources that do not declare it would change, such as ${slashed(spec)}: restore it, or give the type version ${typeVersion + 1}, and a migration from version ${version} that writes the old one, as ${own}: ${own} ?? ${old}`;
}
