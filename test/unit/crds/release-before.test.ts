// Definitions of 0.1.0 and of this release accept the same values in the fields that both have: an upgrade rejects no stored
// object, and after a rollback every object is valid again, without the fields that 0.1.0 does not have.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';

interface Definition {
  readonly scope: string;
  readonly selectableFields: readonly string[];
  readonly schema: JsonObject;
}

/** Without descriptions and rules: test/integration/crds tries the rules. */
const before = JSON.parse(
  readFileSync(new URL('../../support/releases/0.1.0.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Definition>>;

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

const folder = new URL('../../../crds/', import.meta.url);
const present = Object.fromEntries(
  readdirSync(folder).map((name): [string, Definition] => {
    const { spec } = parse(readFileSync(new URL(name, folder), 'utf8')) as Manifest;
    const [{ schema, selectableFields = [] }] = spec.versions;
    const fields = selectableFields.map(({ jsonPath }) => jsonPath);
    const definition = { scope: spec.scope, selectableFields: fields };
    return [spec.names.kind, { ...definition, schema: schema.openAPIV3Schema }];
  }),
);

/** Differences of a field, with the reason why stored objects stay valid. */
const explained: Readonly<Record<string, string>> = {
  'Resource.spec.lifecycle default': 'Stored objects have their lifecycle.',
  'Resource.spec required': 'The project may be left out.',
  'Resource.metadata.name maxLength': 'Names with dots are longer.',
  'ResourceDefinition.metadata.name maxLength': 'Names with dots are longer.',
  'Provider.spec.replicas default': 'Without a number, 0.1.0 ran one pod.',
  'Provider.spec.replicas minimum':
    'A rule permits 1 to 10; the API server ignores it for a number that stays.',
  'Provider.spec.replicas maximum': 'The same rule.',
  'Resource.status.event.type enum':
    'The values of 0.1.0 stay. docs/operations.md says what becomes of imports after a rollback.',
};

/** They permit no other value. */
const notCompared = ['description', 'x-kubernetes-validations', 'x-kubernetes-map-type'];
const nested = ['properties', 'items', 'additionalProperties'];

/** @returns every difference that is not an added optional field */
function* differences(old: JsonObject, now: JsonObject, path: string): Iterable<string> {
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (notCompared.includes(keyword)) continue;
    const [left, right] = [old[keyword], now[keyword]];
    if (nested.includes(keyword) && isJsonObject(left) && isJsonObject(right)) {
      yield* keyword === 'properties'
        ? differencesOfFields(left, right, path)
        : differences(left, right, `${path}[]`);
    } else if (JSON.stringify(left) !== JSON.stringify(right)) {
      yield `${path} ${keyword}: ${JSON.stringify(left)} → ${JSON.stringify(right)}`;
    }
  }
}

function* differencesOfFields(old: JsonObject, now: JsonObject, path: string): Iterable<string> {
  for (const [name, left] of Object.entries(old)) {
    const right: JsonValue | undefined = now[name];
    if (isJsonObject(left) && isJsonObject(right)) {
      yield* differences(left, right, `${path}.${name}`);
    } else {
      yield `${path}.${name} is missing`;
    }
  }
}

it('has the kinds of 0.1.0', () => {
  expect(Object.keys(present).sort()).toEqual(Object.keys(before).sort());
});

it.each(Object.keys(before))(
  'accepts the stored objects of 0.1.0, and the other way round: %s',
  (kind) => {
    const [old, now] = [before[kind], present[kind]];
    expect(now?.scope).toBe(old?.scope);
    expect(now?.selectableFields).toEqual(
      expect.arrayContaining([...(old?.selectableFields ?? [])]),
    );
    const found = [...differences(old?.schema ?? {}, now?.schema ?? {}, kind)];
    const isExplained = (text: string) => Object.hasOwn(explained, text.split(':')[0] ?? '');
    expect(found.filter((text) => !isExplained(text))).toEqual([]);
  },
);
