// Reads one document in any of the shapes of a declaration: that of the client (`resource: provider/type/name`), the body and the
// record of the API, and the manifest of kubectl. Their keys distinguish the shapes.

import { isTuple, parseResourceAddress, type ResourceTuple } from '../../../domain/identity.ts';
import { resourceOptionFields } from '../../../domain/resource-options.ts';
import { snakeCase } from '../../../lib/fields.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { type DeclaredOptions, optionsIn } from './options.ts';
import { type Report, unknownField } from './problem.ts';
import type { Path, YamlDocument } from './yaml.ts';

type DocumentFields = Readonly<Record<string, unknown>>;

/** The fields of the body of an apply, and where the document has them. */
export interface Shaped {
  readonly tuple: ResourceTuple;
  readonly config: JsonObject;
  readonly lifecycle: 'draft' | 'pending';
  readonly dependencies: readonly ResourceTuple[] | undefined;
  readonly tags: readonly string[] | null | undefined;
  readonly project: string | undefined;
  /** Undefined: the newest. */
  readonly typeVersion: number | undefined;
  /** The options that the document names. */
  readonly options: DeclaredOptions;
  /** Identifies the object of an import. */
  readonly adopt: JsonObject | null | undefined;
  /** @returns the path in the document of a path in the body */
  readonly pathOf: (bodyPath: Path) => Path;
}

interface DocumentShape {
  /** Where the fields are. */
  readonly within: Path;
  /** Each field of the body, and its name in the document. */
  readonly names: Readonly<Record<string, string>>;
  /** Known fields that have no effect on an apply. */
  readonly ignored: readonly string[];
  readonly states: Readonly<Record<string, 'draft' | 'pending'>>;
}

/** @returns the name in a document of each option of a body */
function optionsNamed(nameOf: (field: string) => string): DocumentShape['names'] {
  const names = Object.keys(resourceOptionFields);
  return Object.fromEntries(names.map((field) => [snakeCase(field), nameOf(field)]));
}

const bodyFields = {
  config: 'config',
  dependencies: 'dependencies',
  tags: 'tags',
  project_id: 'project_id',
  lifecycle_state: 'lifecycle_state',
  type_version: 'type_version',
  adopt: 'adopt',
  ...optionsNamed(snakeCase),
};
const plainStates = { draft: 'draft', pending: 'pending' } as const;

const ours: DocumentShape = {
  within: [],
  names: { ...bodyFields, project_id: 'project', lifecycle_state: 'state' },
  ignored: ['resource'],
  states: plainStates,
};
const tupleFields = ['provider', 'resource', 'name'];
const body: DocumentShape = {
  within: [],
  names: bodyFields,
  ignored: tupleFields,
  states: plainStates,
};
const record: DocumentShape = {
  ...body,
  ignored: [
    ...tupleFields,
    'id',
    'project_name',
    'outputs',
    'error',
    'reason',
    'message',
    'attempt',
    'next_attempt_at',
    'progress',
    'drift',
    'observation',
    'provider_version',
    'applied_by',
    'applied_by_name',
    'deletion_requested_at',
    'created_at',
    'updated_at',
  ],
  states: { ...plainStates, processing: 'pending', ready: 'pending', failed: 'pending' },
};
const manifest: DocumentShape = {
  within: ['spec'],
  names: {
    ...bodyFields,
    project_id: 'project',
    lifecycle_state: 'lifecycle',
    type_version: 'typeVersion',
    ...optionsNamed((name) => name),
  },
  ignored: [...tupleFields, 'retry', 'replace'],
  states: { Draft: 'draft', Committed: 'pending' },
};
const manifestFields = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Collects what is wrong in one document. */
class Reader {
  readonly #document: YamlDocument;
  readonly #report: Report;
  readonly #shape: DocumentShape | undefined;
  readonly #fields: DocumentFields;
  isGood = true;

  constructor(
    document: YamlDocument,
    report: Report,
    shape?: DocumentShape,
    fields: DocumentFields = {},
  ) {
    this.#document = document;
    this.#report = report;
    this.#shape = shape;
    this.#fields = fields;
  }

  /** @returns the value of a field of the body, undefined where there is none, or one that is not as it must be */
  value<T>(field: string, is: (value: unknown) => value is T, must: string): T | undefined {
    const name = this.#shape?.names[field] ?? field;
    const value = this.#fields[name];
    return value === undefined || is(value) ? value : this.problem([name], `must be ${must}`);
  }

  /** In a manifest fields are named as in Kubernetes. */
  nameOf = (field: string) => (this.#shape === manifest ? field : snakeCase(field));

  problem(path: Path, message: string, part: 'key' | 'value' = 'value'): undefined {
    const whole = [...(this.#shape?.within ?? []), ...path];
    const place = this.#document.placeOf(whole, part);
    this.#report({ place, field: whole.join('.'), message });
    this.isGood = false;
  }
}

/** @returns undefined for a document in which something is wrong, which is reported */
export function shapedFrom(document: YamlDocument, report: Report): Shaped | undefined {
  const { value } = document;
  const outer = new Reader(document, report);
  if (!isJsonObject(value)) return outer.problem([], 'must be a mapping that names a resource');
  const shape = shapeOf(value);
  if (shape === undefined) {
    return outer.problem([], 'names no resource; write resource: PROVIDER/TYPE/NAME');
  }
  const fields = shape === manifest ? resourceSpec(value, outer) : value;
  if (fields === undefined) return undefined;
  const reader = new Reader(document, report, shape, fields);
  checkNames(fields, shape, reader);
  const shaped = {
    tuple: tupleIn(fields, shape, reader),
    config: reader.value('config', isJsonObject, 'a mapping') ?? {},
    lifecycle: lifecycleIn(fields, shape, reader),
    dependencies: readDependencies(fields, reader),
    tags: reader.value('tags', nullOr(isTexts), 'a list of texts'),
    project: reader.value('project_id', nullOr(isText), 'text') ?? undefined,
    typeVersion:
      reader.value('type_version', nullOr(isVersion), 'the number of a version of the type') ??
      undefined,
    options: optionsIn(fields, reader),
    adopt: reader.value(
      'adopt',
      nullOr(isJsonObject),
      'a mapping that identifies an object, such as {id: X}',
    ),
    pathOf: (path: Path) => shapedPath(path, shape),
  };
  return reader.isGood && outer.isGood && shaped.tuple !== undefined
    ? { ...shaped, tuple: shaped.tuple }
    : undefined;
}

function nullOr<T>(is: (value: unknown) => value is T) {
  return (value: unknown): value is T | null => value === null || is(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function shapeOf(fields: DocumentFields): DocumentShape | undefined {
  if ('apiVersion' in fields || 'kind' in fields) return manifest;
  const { resource } = fields;
  if (typeof resource === 'string' && /[/:]/.test(resource)) return ours;
  if (!('provider' in fields || 'name' in fields)) return undefined;
  return 'id' in fields ? record : body;
}

function resourceSpec(fields: DocumentFields, reader: Reader): DocumentFields | undefined {
  const { kind, apiVersion, spec } = fields;
  if (kind !== 'Resource' || !`${apiVersion}`.startsWith('fairlead.dev/')) {
    return reader.problem(['kind'], 'must be Resource of fairlead.dev');
  }
  for (const name of Object.keys(fields)) {
    if (!manifestFields.includes(name)) unknownMember(name, manifestFields, reader);
  }
  return isJsonObject(spec) ? spec : reader.problem(['spec'], 'must be a mapping');
}

function checkNames(
  fields: DocumentFields,
  { names, ignored }: DocumentShape,
  reader: Reader,
): void {
  const known = [...Object.values(names), ...ignored];
  checkMasked(fields, reader);
  for (const name of Object.keys(fields)) {
    if (known.includes(name) || name === 'masked') continue;
    unknownMember(name, known, reader);
  }
}

/** A viewer's copy has null for secrets, which an apply would store. */
function checkMasked({ masked = [] }: DocumentFields, reader: Reader): void {
  if (Array.isArray(masked) && masked.length === 0) return;
  const paths = Array.isArray(masked) ? masked.slice(0, 3).join(', ') : 'secrets';
  reader.problem(
    ['masked'],
    `this copy lacks the secrets at ${paths}, which viewers do not see and histories do not keep; set the values in the config and remove masked`,
    'key',
  );
}

function unknownMember(name: string, known: readonly string[], reader: Reader): void {
  reader.problem([name], unknownField(name, known), 'key');
}

function tupleIn(
  fields: DocumentFields,
  shape: DocumentShape,
  reader: Reader,
): ResourceTuple | undefined {
  const { resource } = fields;
  if (shape === ours) {
    const tuple = parseResourceAddress(`${resource as string}`)?.tuple;
    return tuple ?? reader.problem(['resource'], 'must be PROVIDER/TYPE/NAME');
  }
  const missing = tupleFields.find((name) => typeof fields[name] !== 'string');
  if (missing !== undefined) {
    return reader.problem([missing], missing in fields ? 'must be text' : 'is missing');
  }
  const tuple = fields as unknown as ResourceTuple;
  const { provider, name } = tuple;
  const found = { provider, resource: tuple.resource, name };
  if (isTuple(found)) return found;
  return reader.problem(['name'], 'provider, resource and name must be names of a resource');
}

function lifecycleIn(
  fields: DocumentFields,
  { names, states }: DocumentShape,
  reader: Reader,
): 'draft' | 'pending' {
  const name = names['lifecycle_state'] ?? '';
  const given = fields[name];
  if (given === undefined) return 'pending';
  const state = typeof given === 'string' && Object.hasOwn(states, given) ? states[given] : null;
  if (state) return state;
  reader.problem([name], `must be ${Object.keys(states).slice(0, 2).join(' or ')}`);
  return 'pending';
}

function readDependencies(
  { dependencies }: DocumentFields,
  reader: Reader,
): readonly ResourceTuple[] | undefined {
  if (dependencies === undefined || dependencies === null) return undefined;
  if (!Array.isArray(dependencies)) return reader.problem(['dependencies'], 'must be a list');
  return dependencies.flatMap((each: unknown, at) => {
    const tuple = typeof each === 'string' ? parseResourceAddress(each)?.tuple : tupleFrom(each);
    if (tuple === undefined) reader.problem(['dependencies', at], 'must be PROVIDER/TYPE/NAME');
    return tuple ?? [];
  });
}

function tupleFrom(value: unknown): ResourceTuple | undefined {
  if (!isJsonObject(value)) return undefined;
  const { provider, resource, name } = value;
  const tuple = { provider: `${provider}`, resource: `${resource}`, name: `${name}` };
  return isTuple(tuple) ? tuple : undefined;
}

function shapedPath([field = '', ...rest]: Path, shape: DocumentShape): Path {
  if (tupleFields.includes(`${field}`)) {
    return [...shape.within, shape === ours ? 'resource' : field];
  }
  return [...shape.within, shape.names[field] ?? field, ...rest];
}
