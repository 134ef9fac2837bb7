// The worst inputs of what reads schemas, and of what compares values with them.
import { schemaRows } from '../../../src/client/schema/rows.ts';
import { violationMessage } from '../../../src/client/words/violation.ts';
import { maxIdentityMembers, maxPointerLength } from '../../../src/domain/objects/identity.ts';
import {
  fromProblem,
  readableOutputs,
  readableSecrets,
} from '../../../src/domain/schemas/deprecated-outputs.ts';
import { fieldOrder, inFieldOrder } from '../../../src/domain/schemas/field-order.ts';
import { fittingVersion } from '../../../src/domain/schemas/fitting-version.ts';
import { identityProblem, optionalMembers } from '../../../src/domain/schemas/identity-problem.ts';
import { immutableProblem } from '../../../src/domain/schemas/immutable.ts';
import {
  changedImmutables,
  immutableRuleOfType,
} from '../../../src/domain/schemas/immutable-changes.ts';
import { immutableFields } from '../../../src/domain/schemas/immutable-fields.ts';
import { possibleValues } from '../../../src/domain/schemas/possible-values.ts';
import { sampleConfig } from '../../../src/domain/schemas/sample-config.ts';
import {
  partialSettings,
  settingsIn,
  settingsProblem,
} from '../../../src/domain/schemas/setting-schema.ts';
import { findDiscriminator } from '../../../src/domain/unions/discriminator.ts';
import { takesType } from '../../../src/domain/unions/form.ts';
import { type JsonObject, type JsonValue, ownMember } from '../../../src/lib/json.ts';
import { expansionProblems } from '../../../src/providers/schema-sandbox/expansion.ts';
import { inspectSchema } from '../../../src/providers/schema-sandbox/rules.ts';
import { walkSchema } from '../../../src/providers/schema-sandbox/walk.ts';
import { withoutEffect } from '../../../src/providers/schema-sandbox/without-effect.ts';
import {
  hostileSchemas,
  largeDefault,
  manyNames,
  manyPaths,
  nestedForms,
  plainPatterns,
  wideForm,
} from './hostile-schemas.ts';
import { members, nested, times } from './hostile-values.ts';
import { type WorstInput, worst } from './row.ts';

const immutable: JsonObject = { immutable: true };
const defaults: JsonObject = { default: {}, properties: { a: { default: 1 } } };
/** It is refused, but not before all of it was looked at. */
const misplaced: JsonObject = { items: immutable };

function definition(schema: JsonObject, name: string): JsonObject {
  return ownMember(ownMember(schema, '$defs'), name) as JsonObject;
}

function possible(schema: JsonObject, path: readonly string[]): void {
  const values = possibleValues(schema);
  const found = values.at(path);
  if ('alternatives' in found) values.typesOf(found.alternatives);
}

/** As deep as a violation of a config may be. */
const unknownField = {
  ...{ type: 'extra_forbidden', msg: 'Extra inputs are not permitted' },
  loc: ['body', 'config', ...times(62, () => '00'), 'x'],
};

/** The most that a type may declare. */
const deepPointers = Object.fromEntries(
  times(maxIdentityMembers, (at) => [`m${at}`, '/a'.repeat(maxPointerLength / 2)]),
);
const manyPointers = { outputs: deepPointers, adopt: deepPointers };

export const schemaInputs: readonly WorstInput[] = [
  ...Object.entries(hostileSchemas).flatMap(([input, schema]) => [
    worst(
      'client/words/violation violationMessage',
      input,
      () => [unknownField, schema()],
      violationMessage,
    ),
    worst('providers/schema-sandbox/walk walkSchema', input, () => [schema()], walkSchema),
    worst(
      'providers/schema-sandbox/rules inspectSchema',
      input,
      () => [schema()],
      (each) => inspectSchema(each),
    ),
    worst(
      'providers/schema-sandbox/expansion expansionProblems',
      input,
      () => [schema()],
      expansionProblems,
    ),
    worst(
      'providers/schema-sandbox/without-effect withoutEffect',
      input,
      () => [schema()],
      (each) => withoutEffect(each),
    ),
    worst(
      'domain/schemas/deprecated-outputs fromProblem',
      input,
      () => [schema()],
      (each) => fromProblem(each, 'outputs'),
    ),
    worst('domain/schemas/field-order fieldOrder', input, () => [schema()], fieldOrder),
    worst('domain/schemas/sample-config sampleConfig', input, () => [schema()], sampleConfig),
    worst(
      'domain/schemas/possible-values possibleValues',
      input,
      () => [schema(), ['a', 'a', 'a']],
      possible,
    ),
    worst(
      'domain/schemas/identity-problem identityProblem',
      input,
      () => [manyPointers, { outputs: schema(), adopt: schema() }],
      identityProblem,
    ),
    worst(
      'domain/schemas/identity-problem optionalMembers',
      input,
      () => [manyPointers, schema()],
      optionalMembers,
    ),
    worst('domain/schemas/setting-schema settingsIn', input, () => [schema()], settingsIn),
    worst(
      'domain/schemas/setting-schema settingsProblem',
      input,
      () => [schema()],
      settingsProblem,
    ),
    worst(
      'domain/schemas/setting-schema partialSettings',
      input,
      () => [schema()],
      partialSettings,
    ),
  ]),
  // It lists at most 500 fields, each with the beginning of what is said of it.
  ...[manyNames(), plainPatterns(), manyPaths({ type: 'string' })].map((schema, at) =>
    worst(
      'client/schema/rows schemaRows',
      `schema ${at + 1}`,
      () => [schema],
      (each) => schemaRows(each),
    ),
  ),
  worst(
    'domain/schemas/field-order inFieldOrder',
    'an order of as many fields as fit',
    () => [largeDefault(), { '': Object.keys(members(() => 1)) }],
    inFieldOrder,
  ),
  ...['anyOf', 'allOf'].flatMap((keyword) => [
    worst(
      'domain/schemas/possible-values possibleValues',
      `names in ${keyword} of ${keyword}`,
      () => [nestedForms({ ...wideForm, additionalProperties: false }, keyword), ['p0', 'missing']],
      possible,
    ),
    worst(
      'domain/schemas/possible-values possibleValues',
      `values in ${keyword} of ${keyword}`,
      () => [nestedForms({ $ref: '#/$defs/values' }, keyword), ['p0']],
      possible,
    ),
  ]),
  worst(
    'domain/schemas/setting-schema settingsIn',
    'settings of the same forms',
    () => [nestedForms({ type: 'string' })],
    settingsIn,
  ),
  worst(
    'domain/schemas/immutable-fields immutableFields',
    'more paths than are permitted',
    () => [manyPaths(immutable)],
    immutableFields,
  ),
  worst(
    'domain/schemas/immutable immutableProblem',
    'marks that all paths lead to',
    () => [manyPaths(misplaced)],
    (schema) => immutableProblem(schema),
  ),
  ...Object.entries(hostileSchemas).map(([input, schema]) =>
    worst(
      'domain/schemas/immutable immutableProblem',
      `${input}, with a mark that is refused`,
      () => [{ ...schema(), items: immutable }],
      (each) => immutableProblem(each),
    ),
  ),
  worst(
    'domain/schemas/immutable immutableProblem',
    'a mark of outputs',
    () => [manyPaths(immutable), 'outputs' as const],
    immutableProblem,
  ),
  worst(
    'domain/schemas/immutable-changes immutableRuleOfType',
    'as many fields as are permitted, in both versions',
    () => [
      {
        schema: manyPaths(immutable),
        typeVersion: 2,
        earlierVersions: [{ typeVersion: 1, schema: manyPaths(immutable) }],
      },
      1,
      2,
    ],
    immutableRuleOfType,
  ),
  worst(
    'domain/schemas/immutable-changes changedImmutables',
    'as many fields as are permitted, and references elsewhere',
    () => [
      { fields: fields(), before: undefined, after: undefined },
      nested(members(() => 1)),
      { config: nested(members(() => 2)), unresolved: unresolved() },
    ],
    changedImmutables,
  ),
  worst(
    'domain/schemas/immutable-changes changedImmutables',
    'many paths to defaults, which many paths lead to',
    () => [
      { fields: [[]], before: manyPaths(defaults), after: manyPaths({ ...defaults }) },
      nested(members(() => 1)),
      { config: nested(members(() => 2)), unresolved: [] },
    ],
    changedImmutables,
  ),
  worst(
    'domain/schemas/fitting-version fittingVersion',
    'names of which each is elsewhere in each version',
    () => [
      {
        schema: manyPaths(immutable),
        typeVersion: 2,
        earlierVersions: [{ typeVersion: 1, schema: manyPaths({ ...immutable }) }],
      },
      {
        config: nested(members(() => 1)),
        from: 2,
        fits: ({ typeVersion }) => Promise.resolve(typeVersion === 1),
        changedByDefault: () => Promise.resolve([]),
      },
    ],
    fittingVersion,
  ),
  worst(
    'domain/unions/discriminator findDiscriminator',
    'forms of forms with the same values',
    () => formsOf(nestedForms(wideForm), 'outer'),
    findDiscriminator,
  ),
  worst(
    'domain/unions/discriminator findDiscriminator',
    'forms with the same values',
    () => formsOf(nestedForms(wideForm), 'form'),
    findDiscriminator,
  ),
  worst(
    'domain/schemas/deprecated-outputs fromProblem',
    'as many deprecated outputs as are permitted',
    () => [manyDeprecated()],
    (schema) => fromProblem(schema, 'outputs'),
  ),
  worst(
    'domain/schemas/deprecated-outputs readableOutputs',
    'as many deprecated outputs as are permitted',
    () => [{ a: nested(members(() => 1)) }, manyDeprecated()],
    readableOutputs,
  ),
  worst(
    'domain/schemas/deprecated-outputs readableSecrets',
    'as many deprecated outputs as are permitted, and many secrets',
    () => [times(5_000, (at) => `/a/b/${at}`), manyDeprecated()],
    readableSecrets,
  ),
  worst(
    'domain/unions/form takesType',
    'as many values as are permitted',
    () => [{ enum: times(500, (at) => at) }, 'a', {}],
    takesType,
  ),
];

function formsOf(root: JsonObject, name: string): [readonly JsonValue[], JsonObject] {
  const { anyOf } = definition(root, name);
  return [(anyOf ?? times(50, () => wideForm)) as readonly JsonValue[], root];
}

function manyDeprecated(): JsonObject {
  const old = { deprecated: true, 'x-from': '/a/b' };
  const properties = Object.fromEntries(times(299, (at) => [`old${at}`, old]));
  return {
    properties: { ...properties, a: { type: 'object', properties: { b: { type: 'object' } } } },
  };
}

function fields(): readonly (readonly string[])[] {
  return times(1_000, (at) => [...times(63, () => 'a'), at.toString(36)]);
}

function unresolved() {
  const to = { provider: 'a', resource: 'b', name: 'c' };
  return times(10_000, (at) => ({
    ...({ to, path: ['a'], text: '', why: 'missing', offered: [] } as const),
    at: [...times(63, () => 'a'), `-${at}`],
  }));
}
