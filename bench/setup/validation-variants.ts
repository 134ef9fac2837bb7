// The definition of a Resource with less validation: without schema, without CEL rules, without one of them.
import { crdManifest } from '../../src/crds/manifest.ts';
import { Resource } from '../../src/crds/resource.ts';
import type { StructuralSchema } from '../../src/crds/structural.ts';
import { eventually } from '../../test/support/runner/eventually.ts';
import type { RawClient } from './raw.ts';

type Schemas = Map<string, StructuralSchema>;

/** @param everyRule adds `without <place>` for every rule */
export function variantsOf(everyRule: boolean): Schemas {
  const all = schemaOfResource();
  const variants: Schemas = new Map([
    ['schemaless', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['schema', withoutRules(all, () => true)],
    ['all', all],
  ]);
  if (!everyRule) return variants;
  for (const place of placesOf(all)) {
    variants.set(
      `without ${place}`,
      withoutRules(all, (each) => each === place),
    );
  }
  return variants;
}

const rulesKeyword = 'x-kubernetes-validations';

function placesOf(schema: StructuralSchema): readonly string[] {
  const places: string[] = [];
  withoutRules(schema, (place) => {
    places.push(place);
    return false;
  });
  return places;
}

/** @param omits receives the place of a rule, such as `spec.retry` or `(1)` */
function withoutRules(
  schema: StructuralSchema,
  omits: (place: string) => boolean,
  at = '',
): StructuralSchema {
  const { [rulesKeyword]: rules = [], properties, items, ...rest } = schema;
  const kept = rules.filter((_rule, index) => {
    return !omits(rules.length > 1 || at === '' ? `${at}(${index})` : at);
  });
  return {
    ...rest,
    ...(kept.length > 0 && { [rulesKeyword]: kept }),
    ...(items !== undefined && { items: withoutRules(items, omits, `${at}[]`) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          withoutRules(property, omits, at === '' ? name : `${at}.${name}`),
        ]),
      ),
    }),
  };
}

interface Version {
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

function schemaOfResource(): StructuralSchema {
  const { spec } = crdManifest(Resource, '0.0.0');
  const [version] = spec['versions'] as unknown as readonly Version[];
  if (version === undefined) throw new Error('The definition has no version');
  return version.schema.openAPIV3Schema;
}

/** Creates a kind of its own, and waits until it is served. */
export async function install(
  raw: RawClient,
  group: string,
  schema: StructuralSchema,
): Promise<void> {
  const { spec, ...manifest } = crdManifest(Resource, '0.0.0');
  const [version] = spec['versions'] as unknown as readonly object[];
  const names = { ...(spec['names'] as object), shortNames: [], categories: [] };
  // Fields can be selected only if the schema has them.
  const columns = schema.properties === undefined ? { selectableFields: [] } : {};
  await raw.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    ...manifest,
    metadata: { name: `resources.${group}` },
    spec: {
      ...spec,
      group,
      names,
      versions: [{ ...version, ...columns, schema: { openAPIV3Schema: schema } }],
    },
  });
  await eventually(() =>
    raw.send('GET', `/apis/${group}/v1alpha1/namespaces/default/resources?limit=1`),
  );
}
