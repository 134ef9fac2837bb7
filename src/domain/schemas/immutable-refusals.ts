// Says why a mark `immutable` cannot work under a keyword, and what to do instead.
import { type FieldPath, maxDepth, maxFields } from './immutable-fields.ts';

/** @returns what to do instead of a mark under a keyword of the schema of the value at a path */
type RefusalText = (keyword: string, path: FieldPath) => string;

const itself = (path: FieldPath, otherwise: string) =>
  path.length === 0 ? otherwise : `mark ${path.join('.')} itself`;

const ofList: RefusalText = (_, path) =>
  `Items of a list cannot be immutable: ${itself(path, 'mark its property')}`;

const ofUnion: RefusalText = (keyword, path) => {
  const zod = 'in zod, .meta({ immutable: true }) follows .nullable() and z.union()';
  const what = itself(path, `mark a field in properties beside ${keyword}`);
  return `Branches of ${keyword} cannot be immutable: ${what}${path.length === 0 ? '' : `; ${zod}`}`;
};

const ofCondition: RefusalText = (keyword) =>
  `Fields under ${keyword} cannot be immutable: mark the field in properties beside ${keyword}`;

const ofUnnamed: RefusalText = (keyword, path) =>
  `Fields under ${keyword} cannot be immutable: ${itself(path, 'name the field in properties')}`;

/** The keywords whose schemas need not apply to the same field of every config. */
export const refusals: Readonly<Record<string, RefusalText | undefined>> = {
  items: ofList,
  prefixItems: ofList,
  unevaluatedItems: ofList,
  contains: ofList,
  anyOf: ofUnion,
  oneOf: ofUnion,
  not: ofCondition,
  if: ofCondition,
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
  then: ofCondition,
  else: ofCondition,
  dependentSchemas: ofCondition,
  additionalProperties: ofUnnamed,
  unevaluatedProperties: ofUnnamed,
  patternProperties: ofUnnamed,
  propertyNames: ofUnnamed,
};

/** Why a schema can have no mark at all. */
export const refusalsOfAll = {
  outputs: 'Outputs cannot be immutable: mark fields of the config',
  settings: 'Settings cannot be immutable: leave the mark out',
  adopt: 'The identity of an object never changes: leave the mark out',
} as const;

/** Why the fields below a schema with marks are not visited. */
export const refusalsOfWalk: Readonly<Record<string, RefusalText | undefined>> = {
  whole: () => 'The config as a whole cannot be immutable: mark its fields',
  endless: (_, path) =>
    `Fields of a schema that refers back to itself cannot be immutable: mark ${path.join('.')} itself`,
  tooMany: () =>
    `A schema has at most ${maxFields} immutable fields, ${maxDepth} deep: mark the object of them`,
};
