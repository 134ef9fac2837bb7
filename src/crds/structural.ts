// Converts a zod schema to the structural OpenAPI v3 schema of a CustomResourceDefinition. The API server accepts only a
// part of OpenAPI: generation fails for what it would reject at install time or silently drop, and for fields without a
// description (`kubectl explain` shows it) or a bound (the API server estimates the worst-case cost of CEL rules).
import { z } from 'zod';

/** A node of a structural schema, as JSON. */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  nullable?: boolean;
  default?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema | boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-validations'?: unknown[];
  [keyword: string]: unknown;
}

const keywords = new Set([
  'type',
  'description',
  'nullable',
  'default',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'properties',
  'items',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

const advice: Readonly<Record<string, string>> = {
  allOf: 'give a string one pattern, not several',
  anyOf: 'a field has one type; split it into several fields',
  oneOf: 'a field has one type; split it into several fields',
  $ref: 'recursive schemas cannot be stored; use freeForm()',
};

/** Formats that the API server checks; it ignores others, which would suggest a check that never happens. */
const formats = new Set(['date-time', 'date', 'duration', 'int32', 'int64', 'uuid', 'byte']);

/**
 * @param at where the schema sits in the object, for messages
 * @throws TypeError naming the place and the reason, when the schema cannot be part of a CustomResourceDefinition
 */
export function structural(schema: z.ZodType, at = '$'): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    // In output mode zod forbids unknown members of every object, which a CRD does not allow beside `properties`; in input
    // mode a field with a default is not required, and the server fills it in.
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'throw',
  });
  return structuralPart(json as StructuralSchema, at);
}

function structuralPart(schema: StructuralSchema, at: string): StructuralSchema {
  // zod adds a non-enumerable `~standard` member to the root; a spread omits it.
  const node = { ...schema };
  for (const check of checks) {
    const problem = check(node);
    if (problem !== undefined) throw new TypeError(`${at}: ${problem}`);
  }
  // The server validates null against the enum too.
  if (node.nullable === true && node.enum !== undefined) node.enum = [...node.enum, null];
  // Unknown members are pruned anyway; beside `properties` the server rejects it even if false.
  if (node.additionalProperties === false) delete node.additionalProperties;
  if (node['x-kubernetes-preserve-unknown-fields'] === true) delete node.additionalProperties;
  return visitChildren(node, at);
}

function visitChildren(node: StructuralSchema, at: string): StructuralSchema {
  const { properties, items, additionalProperties } = node;
  if (properties !== undefined) {
    const visited = Object.entries(properties).map(([name, child]) => {
      const where = `${at}.${name}`;
      if (child.description === undefined) throw new TypeError(`${where}: needs a description`);
      return [name, structuralPart(child, where)] as const;
    });
    node.properties = Object.fromEntries(visited);
  }
  if (items !== undefined) node.items = structuralPart(items, `${at}[]`);
  if (typeof additionalProperties === 'object' && node.additionalProperties !== undefined) {
    node.additionalProperties = structuralPart(additionalProperties, `${at}.*`);
  }
  return node;
}

type Check = (node: StructuralSchema) => string | undefined;

const checks: readonly Check[] = [
  onlyKnownKeywords,
  hasOneType,
  declaresItsMembers,
  requiresOnlyDeclaredMembers,
  boundsStrings,
  boundsCollections,
  usesPortablePatterns,
  usesCheckedFormats,
  listTypeFitsItems,
];

function onlyKnownKeywords(node: StructuralSchema): string | undefined {
  const unknown = Object.keys(node).find((keyword) => !keywords.has(keyword));
  if (unknown === undefined) return undefined;
  const hint = advice[unknown] ?? 'the API server does not support it';
  return `${unknown} cannot be expressed in a CustomResourceDefinition: ${hint}`;
}

function hasOneType({ type, enum: allowed }: StructuralSchema): string | undefined {
  if (type === undefined) return 'needs a type; for JSON of any shape use freeForm()';
  if (allowed?.includes(null)) return 'null alone is not a type; use nullable()';
  return undefined;
}

function declaresItsMembers(node: StructuralSchema): string | undefined {
  const { type, properties, additionalProperties } = node;
  if (type !== 'object' || node['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  if (properties !== undefined && (additionalProperties ?? false) !== false) {
    return 'an object cannot have both declared and undeclared members; use freeForm()';
  }
  if (properties === undefined && typeof additionalProperties !== 'object') {
    return 'the API server prunes all members of an object without declared members; use freeForm()';
  }
  return undefined;
}

function requiresOnlyDeclaredMembers({ required = [], properties = {} }: StructuralSchema) {
  const missing = required.find((name) => !(name in properties));
  return missing === undefined
    ? undefined
    : `requires ${missing}, which is not declared; a record cannot have fixed keys`;
}

function boundsStrings({ type, maxLength, enum: allowed, format }: StructuralSchema) {
  const bounded = maxLength !== undefined || allowed !== undefined || format !== undefined;
  return type === 'string' && !bounded ? 'needs a maximum length' : undefined;
}

function boundsCollections(node: StructuralSchema): string | undefined {
  if (node.type === 'array' && node.maxItems === undefined) return 'needs a maximum of items';
  const isMap = node.type === 'object' && typeof node.additionalProperties === 'object';
  if (!isMap || node['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  return node.maxProperties === undefined ? 'needs .meta({ maxProperties: … })' : undefined;
}

/** Go's regular expressions have no look-around and no back references. */
function usesPortablePatterns({ pattern }: StructuralSchema): string | undefined {
  if (pattern === undefined || !/\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)) return undefined;
  return 'the pattern uses look-around or back references, which RE2 does not have';
}

function usesCheckedFormats({ format }: StructuralSchema): string | undefined {
  if (format === undefined || formats.has(format)) return undefined;
  return `the API server does not check the format ${format}`;
}

function listTypeFitsItems(node: StructuralSchema): string | undefined {
  const { items = {} } = node;
  const listType = node['x-kubernetes-list-type'];
  if (listType === 'set' && (items.type === 'object' || items.type === 'array')) {
    return 'only a list of plain values can be a set';
  }
  if (listType !== 'map') return undefined;
  const keys = node['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length === 0) return 'a list of type map needs x-kubernetes-list-map-keys';
  const optional = keys.find((key) => !items.required?.includes(key));
  return optional === undefined ? undefined : `the list key ${optional} must be a required member`;
}
