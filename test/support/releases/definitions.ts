// What the definitions of a commit accept, without descriptions and rules: test/integration/crds tries the rules.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';

export interface Definition {
  readonly scope: string;
  readonly selectableFields: readonly string[];
  readonly schema: JsonObject;
}

export type Definitions = Readonly<Record<string, Definition>>;

interface Manifest {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly scope: string;
    readonly versions: readonly [
      {
        readonly schema: { readonly openAPIV3Schema: JsonObject };
        readonly selectableFields?: readonly { readonly jsonPath: string }[];
      },
    ];
  };
}

/** @returns those of this checkout by their kinds */
export function definitions(): Definitions {
  const folder = join(import.meta.dirname, '../../../crds');
  const found = readdirSync(folder).map((name): [string, Definition] => {
    const { spec } = parse(readFileSync(join(folder, name), 'utf8')) as Manifest;
    const [{ schema, selectableFields = [] }] = spec.versions;
    const fields = selectableFields.map(({ jsonPath }) => jsonPath);
    const definition = { scope: spec.scope, selectableFields: fields };
    return [spec.names.kind, { ...definition, schema: accepted(schema.openAPIV3Schema) }];
  });
  return Object.fromEntries(found);
}

/** They permit no other value. */
const left = ['x-kubernetes-validations', 'x-kubernetes-map-type'];

function accepted(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    // A field may be called description.
    const isText = keyword === 'description' && typeof value === 'string';
    if (isText || left.includes(keyword)) return [];
    return [[keyword, isJsonObject(value) ? accepted(value) : value]];
  });
  return Object.fromEntries(members);
}
