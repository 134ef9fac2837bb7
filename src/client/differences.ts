// Compares a stored resource with what an apply would store, field by field. Pure.

import type { ApplyResource, ResourceDefinition, ResourceRecord } from '../api/shapes.ts';
import { slashed } from '../domain/identity.ts';
import { sameFields } from '../domain/schemas/declared.ts';
import { marksOf, mask } from '../domain/secrets/marks.ts';
import { maskedValue } from '../domain/secrets/mask-text.ts';
import { type TypeWithSchemas, typeVersionsIn } from '../domain/type-version.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../lib/json.ts';
import { differencesWithin, type ValueDifference } from '../lib/json-differences.ts';
import { isProjectOf, projectText } from './project.ts';
import { declaredOptions, optionNames } from './resource-options.ts';

export interface Difference {
  /** Such as `config.owner` or `tags`. */
  readonly path: string;
  /** Undefined when it is new. */
  readonly before?: JsonValue;
  /** Undefined when it is removed. */
  readonly after?: JsonValue;
}

interface DifferenceOptions {
  /** The schemas of the versions of the type that the configs may have. */
  readonly schema: JsonObject | readonly JsonObject[] | undefined;
  /** The schemas of what identifies the object of an import. */
  readonly adoptSchema?: JsonObject | readonly JsonObject[] | undefined;
  /** The type: a default that one side writes down is no difference. Without it, it is one. */
  readonly type?: ResourceDefinition | undefined;
  /** Shows what the schema marks as secret. */
  readonly shown: boolean;
}

/** @param after a record, or the body of an apply, in which absent fields stay as they are */
export function differencesOf(
  before: ResourceRecord | undefined,
  after: ResourceRecord | ApplyResource,
  { shown, type, ...schemas }: DifferenceOptions,
): readonly Difference[] {
  const left = before && comparedFields(before);
  const right = { ...keptBy(after, left), ...comparedFields(after, before) };
  const isSame =
    before &&
    type &&
    sameFields(typeOfVersions(type), [versionedConfig(before), versionedConfig(after)]);
  const found = [...differencesWithin(left, right)].filter(
    ({ path: [field, ...names] }) => field !== 'config' || isSame?.(names) !== true,
  );
  if (shown) return found.map(namedDifference);
  const [leftMasked, rightMasked] = [
    left && maskedFields(left, schemas),
    maskedFields(right, schemas),
  ];
  return found.map(({ path, ...difference }) => ({
    path: path.join('.'),
    ...('before' in difference ? { before: at(leftMasked, path) } : {}),
    ...('after' in difference ? { after: at(rightMasked, path) } : {}),
  }));
}

function typeOfVersions({ schema, ...type }: ResourceDefinition): TypeWithSchemas {
  return { schema, ...typeVersionsIn(type) };
}

function versionedConfig({ config, type_version: typeVersion }: ResourceRecord | ApplyResource) {
  return { config: config as JsonObject, typeVersion };
}

type JsonFields = JsonObject;

/** @returns the stored fields that an apply without them leaves as they are */
function keptBy(
  { tags, dependencies, project_id, ...others }: ResourceRecord | ApplyResource,
  before: JsonFields = {},
): JsonFields {
  const kept: readonly string[] = [
    ...optionNames.filter((name) => others[name] === undefined),
    ...(tags === undefined ? ['tags'] : []),
    ...(dependencies === undefined ? ['dependencies'] : []),
    ...(project_id ? [] : ['project']),
  ];
  return Object.fromEntries(Object.entries(before).filter(([name]) => kept.includes(name)));
}

/** @param same the resource before: its project is the same by its id and by its name */
function comparedFields(
  {
    config,
    tags,
    dependencies,
    project_id,
    project_name,
    lifecycle_state,
    ...others
  }: ResourceRecord | ApplyResource,
  same?: ResourceRecord,
): JsonFields {
  const adopt = others.adopt === undefined ? same?.adopt : others.adopt;
  const own = typeof project_name === 'string' ? project_name : project_id;
  const project = project_id && same && isProjectOf(same, project_id) ? projectText(same) : own;
  return {
    ...(lifecycle_state === 'draft' ? { state: 'draft' } : {}),
    ...(project_id && project ? { project } : {}),
    config,
    ...(tags === undefined || tags === null || tags.length === 0 ? {} : { tags }),
    ...(dependencies === undefined || dependencies.length === 0
      ? {}
      : { dependencies: dependencies.map(slashed) }),
    ...(adopt == null ? {} : { adopt }),
    ...declaredOptions({ ...others, adopt }),
  };
}

function namedDifference({ path, ...rest }: ValueDifference): Difference {
  return { path: path.join('.'), ...rest };
}

function maskedFields(
  fields: JsonFields,
  { schema, adoptSchema }: Omit<DifferenceOptions, 'shown'>,
): JsonFields {
  const { config, adopt } = fields;
  return {
    ...fields,
    config: config === undefined ? null : mask(marksOf(schema), config),
    ...(adopt === undefined ? {} : { adopt: mask(marksOf(adoptSchema), adopt) }),
  };
}

/** @returns the value at a path; what is masked masks all that is in it */
function at(fields: JsonFields | undefined, path: readonly string[]): JsonValue {
  let value: JsonValue | undefined = fields;
  for (const step of path) {
    if (value === maskedValue || !isJsonObject(value)) return maskedValue;
    value = ownMember(value, step);
  }
  return value ?? null;
}
