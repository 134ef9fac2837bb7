// Pure. docs/custom-resources/<plural>.md: one page for a kind, from its definition.
import { stringify } from 'yaml';
import type { z } from 'zod';
import { conditionTypes } from '../src/crds/condition-types.ts';
import { type CelRule, group, type KindDefinition, version } from '../src/crds/define.ts';
import type { KindName } from '../src/crds/kind-names.ts';
import { crdManifest } from '../src/crds/manifest.ts';
import { type ReasonDescription, reasons } from '../src/crds/reasons.ts';
import type { StructuralSchema } from '../src/crds/structural.ts';
import { exampleOf } from './custom-resource-examples.ts';
import { code, codes, heading, table } from './markdown.ts';

type Definition = KindDefinition<z.ZodType, z.ZodType>;

/** The introductions of the pages. */
const purposes = {
  Organization:
    'An Organization is a tenant. Fairlead creates its namespace, with quotas, network policies, role bindings and a default project. The first valid token of an organization creates the object, unless `FAIRLEAD_PROVISION` is `false`; administrators change its limits and suspend it.',
  Project:
    'A Project groups resources inside an organization. References between resources stay inside one project, and a token can be confined to one project. Fairlead creates the default project of each organization.',
  ResourceDefinition:
    'A ResourceDefinition is a type of resources with the JSON Schema of its configuration. Those of a version that Fairlead runs are in force while it serves; `POST /resources/register` registers types of a provider that runs elsewhere.',
  Resource:
    'A Resource is the desired state of one object that a provider manages. Fairlead validates its configuration, resolves its references, and sends events to its provider until the provider has created, updated or deleted the object.',
  Provider:
    'A Provider is the code that creates, updates and deletes resources of its types. Fairlead runs the version of a build, or sends events to an external endpoint.',
  Build:
    'A Build is one upload of provider code. A Job in the namespace of the organization turns it into an artifact, which a Provider can run.',
} as const satisfies Readonly<Record<KindName, string>>;

export function customResourcePage(definition: Definition, release: string): string {
  const kind = definition.kind as KindName;
  const schema = schemaOf(definition, release);
  const { properties: { spec = {}, status = {} } = {} } = schema;
  return [
    heading(kind, 'src/crds'),
    `${purposes[kind]}\n`,
    table(['Property', 'Value'], names(definition)),
    '## Example\n',
    `\`\`\`yaml\n${stringify(exampleOf(kind))}\`\`\`\n`,
    ...rulesSection([...rulesAt('', schema), ...rulesAt('.spec', spec)]),
    '## Spec\n',
    fieldTable('spec', spec),
    '## Status\n',
    'Only Fairlead writes the status.\n',
    fieldTable('status', status),
    '## Conditions\n',
    conditionSection(kind),
    '## Printer columns\n',
    '`kubectl get` shows these columns; those marked as wide need `-o wide`.\n',
    table(['Column', 'Value', 'Wide'], definition.columns.map(columnRow)),
    ...selectorSection(definition.selectableFields),
  ].join('\n');
}

function schemaOf(definition: Definition, release: string) {
  const { spec } = crdManifest(definition, release);
  const [first] = spec['versions'] as unknown as readonly [
    { schema: { openAPIV3Schema: StructuralSchema } },
  ];
  return first.schema.openAPIV3Schema;
}

function names(definition: Definition): readonly string[][] {
  const { plural, singular, shortNames, namespaced } = definition;
  return [
    ['API version', code(`${group}/${version}`)],
    ['Names', codes([plural, singular, ...shortNames])],
    ['Scope', namespaced ? 'in the namespace of an organization' : 'cluster'],
    ['Definition', code(`${plural}.${group}`)],
  ];
}

type PlacedRule = readonly [field: string, message: string];

function rulesAt(path: string, schema: StructuralSchema): readonly PlacedRule[] {
  return celRulesOf(schema).map(({ fieldPath = '', message }) => [
    code(`${path}${fieldPath}`.slice(1)),
    message,
  ]);
}

function rulesSection(rules: readonly PlacedRule[]): readonly string[] {
  if (rules.length === 0) return [];
  return [
    '## Rules\n',
    'The API server rejects an object that violates one of these rules, or a rule of a field, with this message.\n',
    table(['Field', 'Message'], rules),
  ];
}

function fieldTable(path: string, schema: StructuralSchema): string {
  return table(['Field', 'Type', 'Rules', 'Description'], [...fieldRows(path, schema)]);
}

function* fieldRows(path: string, schema: StructuralSchema): Iterable<string[]> {
  const { properties = {}, required = [] } = schema;
  for (const [name, field] of Object.entries(properties)) {
    const at = `${path}.${name}`;
    const isRequired = required.includes(name);
    yield [code(at), typeOf(field), rulesOf(field, isRequired).join('; '), field.description ?? ''];
    yield* fieldRows(at, field);
    if (field.items !== undefined) yield* fieldRows(`${at}[]`, field.items);
  }
}

function typeOf({ type = 'object', format, items, ...field }: StructuralSchema): string {
  if (type === 'array') return `list of ${typeOf(items ?? {})}`;
  if (field['x-kubernetes-preserve-unknown-fields'] === true) return 'object with any members';
  return format === 'date-time' ? 'time' : type;
}

function rulesOf(field: StructuralSchema, isRequired: boolean): readonly string[] {
  return [
    isRequired ? 'required' : 'optional',
    ...(field.default === undefined ? [] : [`default ${code(JSON.stringify(field.default))}`]),
    ...(field.enum === undefined ? [] : [`one of ${codes(field.enum.map(String))}`]),
    ...boundsOf(field),
    ...(field.pattern === undefined ? [] : [`matches ${code(field.pattern)}`]),
    ...(field['x-kubernetes-list-type'] === 'set' ? ['unique items'] : []),
    ...keysOf(field),
    ...celRulesOf(field).map(({ message }) => message),
  ];
}

const bounds = {
  minLength: 'at least * characters',
  maxLength: 'at most * characters',
  minimum: 'at least *',
  maximum: 'at most *',
  maxItems: 'at most * items',
} as const;

/** Items have no row of their own, so their bounds are in the row of the list. The bounds that zod adds for safe integers are omitted. */
function boundsOf(field: StructuralSchema): readonly string[] {
  const found = Object.entries(bounds).flatMap(([keyword, words]) => {
    const limit = field[keyword];
    if (keyword === 'minLength' && limit === 1) return ['not empty'];
    const isBound = typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
    return isBound ? [words.replace('*', String(limit))] : [];
  });
  const { items } = field;
  if (items === undefined || items.type === 'object') return found;
  return [...found, ...boundsOf(items).map((rule) => `each ${rule}`)];
}

function keysOf(field: StructuralSchema): readonly string[] {
  const keys = field['x-kubernetes-list-map-keys'];
  return keys === undefined ? [] : [`${codes(keys)} unique for each item`];
}

function celRulesOf(schema: StructuralSchema): readonly CelRule[] {
  return (schema['x-kubernetes-validations'] ?? []) as readonly CelRule[];
}

function conditionSection(kind: KindName): string {
  const carried = Object.entries(reasons).flatMap(
    ([reason, { carriedBy }]: [string, ReasonDescription]) =>
      (carriedBy[kind] ?? []).map((type) => ({ type, reason })),
  );
  const rows = Object.entries(conditionTypes).flatMap(([type, meaning]) => {
    const reasons = carried.filter((each) => each.type === type).map(({ reason }) => reason);
    return reasons.length === 0 ? [] : [[type, meaning, codes(reasons)]];
  });
  if (rows.length === 0) return 'Fairlead sets no conditions on objects of this kind.\n';
  const text = '[errors.md](../errors.md#reasons) describes the reasons.\n';
  return `${text}\n${table(['Condition', 'Meaning', 'Reasons'], rows)}`;
}

function columnRow({ name, jsonPath, priority }: Definition['columns'][number]): readonly string[] {
  return [name, code(jsonPath), priority === 1 ? 'yes' : ''];
}

function selectorSection(fields: readonly string[]): readonly string[] {
  const paths = fields.map((field) => field.slice(1));
  return ['## Field selectors\n', `\`kubectl get --field-selector\` supports ${codes(paths)}.\n`];
}
