// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// The worst inputs of what reads references in configs.
import { literal } from '../../../src/domain/references/literal.ts';
import { nearTarget } from '../../../src/domain/references/near-reference.ts';
import {
  problemSentence,
  type ReferenceProblem,
  referenceProblem,
  undescribedOutput,
} from '../../../src/domain/references/reference-check.ts';
import {
  dependenciesOf,
  nearReferencesIn,
  referencesIn,
  resolveReferences,
  withoutReferenced,
} from '../../../src/domain/references/references.ts';
import { possibleValues } from '../../../src/domain/schemas/possible-values.ts';
import {
  type OutputSecrets,
  receivedSecrets,
} from '../../../src/domain/secrets/received-secrets.ts';
import { createBudget } from '../../../src/lib/budget.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { explainUnresolved } from '../../../src/reconcilers/resource/unresolved.ts';
import { nestedForms, wideForm } from './hostile-schemas.ts';
import { items, members, nested, times, valueBytes } from './hostile-values.ts';
import { type WorstInput, worst } from './row.ts';

const reference = (path: string) => `\${a/b/c.outputs.${path}}`;
const different = () => members(reference);
const same = () => members(() => reference('a'));
const inOneText = () => ({ a: reference('a').repeat(valueBytes / 20) });

const configs: Readonly<Record<string, () => JsonObject>> = {
  'as many references as fit': different,
  'all of them in one text': inOneText,
  'all of them in a deep list': () => nested(items(() => reference('a'))),
  'a reference with as many names as fit': () => ({ a: reference(`${'a.'.repeat(131_000)}a`) }),
  'names in brackets': () => ({ a: `\${a/b/c.outputs${'["a"]'.repeat(52_000)}}` }),
  'references that do not end': () => ({ a: '${'.repeat(131_000) }),
  'a reference of slashes': () => ({ a: `\${${'/'.repeat(262_000)}}` }),
  'a reference of spaces': () => ({ a: `\${${' '.repeat(262_000)}}` }),
  'a reference of dots': () => ({ a: `\${a/b/${'.outputs'.repeat(32_000)}}` }),
};

const resolveWith = (config: JsonObject, outputs: JsonObject) =>
  resolveReferences(config, () => outputs);

function check(config: JsonObject, schema: JsonObject, outputs: JsonObject): void {
  const budget = createBudget();
  const values = {
    outputs: possibleValues(outputs, budget),
    config: possibleValues(schema, budget),
  };
  for (const each of referencesIn(config)) referenceProblem(each, { ...values, stored: undefined });
}

const secretOutputs = (outputs: JsonObject): OutputSecrets => ({
  outputs,
  places: Object.keys(outputs).map((name) => `/${name}`),
});
const receivedFrom = (config: JsonObject, outputs: OutputSecrets) =>
  receivedSecrets(config, () => outputs);

export const referenceInputs: readonly WorstInput[] = [
  ...Object.entries(configs).flatMap(([input, config]) => [
    worst(
      'domain/references/references referencesIn',
      input,
      () => [config()],
      (each) => referencesIn(each).map(({ at, isWhole }) => [at, isWhole]),
    ),
    worst(
      'domain/references/references nearReferencesIn',
      input,
      () => [config()],
      (each) => nearReferencesIn(each).map(({ body }) => nearTarget(body)),
    ),
    worst(
      'domain/references/references resolveReferences',
      input,
      () => [config(), {}],
      resolveWith,
    ),
    worst('domain/references/literal literal', input, () => [config()], literal),
  ]),
  worst(
    'domain/references/references dependenciesOf',
    'references to different resources',
    () => [{ config: members((name) => `\${a/b/r${name}.outputs.a}`) }],
    dependenciesOf,
  ),
  worst(
    'domain/references/references resolveReferences',
    'references that miss one of many outputs',
    () => [members(() => reference('missing')), members(() => 1)],
    resolveWith,
  ),
  worst(
    'domain/references/references resolveReferences',
    'references as deep as outputs may be',
    () => [members(() => reference(times(63, () => 'a').join('.'))), nested(1)],
    resolveWith,
  ),
  worst(
    'domain/references/references resolveReferences',
    'references to outputs that are too large together',
    () => [same(), { a: members(() => 1) }],
    resolveWith,
  ),
  worst(
    'domain/references/references withoutReferenced',
    'violations within each other',
    () => [
      times(20, (at) => ({ loc: times(at, () => 'a'), msg: '', type: 'value_error' })),
      nested(items(() => 1)),
    ],
    withoutReferenced,
  ),
  worst(
    'domain/references/reference-check referenceProblem',
    'references to forms in forms',
    () => [different(), nestedForms(wideForm), nestedForms(wideForm)],
    check,
  ),
  worst(
    'domain/references/reference-check undescribedOutput',
    'forms in forms',
    () => [nestedForms(wideForm), ['p0', 'missing']],
    (schema, path) =>
      undescribedOutput({ path }, { outputs: possibleValues(schema), stored: undefined }),
  ),
  worst(
    'domain/references/reference-check problemSentence',
    'an output that is nearly a long one',
    () => ['a/b', ['b'.repeat(60_000)], missing(['a'.repeat(60_000)])],
    problemSentence,
  ),
  worst(
    'domain/references/reference-check problemSentence',
    'an output that is nearly one of many',
    () => [
      'a/b',
      ['b'.repeat(60)],
      missing(times(1_000, (at) => 'a'.repeat(58) + at.toString(36))),
    ],
    problemSentence,
  ),
  worst(
    'domain/secrets/received-secrets receivedSecrets',
    'references to all secrets of a resource',
    () => [
      same(),
      { outputs: { a: members((name) => name) }, places: times(200, (at) => `/a/${at}`) },
    ],
    receivedFrom,
  ),
  worst(
    'domain/secrets/received-secrets receivedSecrets',
    'references to each secret of a resource',
    () => [different(), secretOutputs(members((name) => name))],
    receivedFrom,
  ),
  worst(
    'domain/secrets/received-secrets receivedSecrets',
    'references to each level of a secret',
    () => [
      Object.fromEntries(
        times(63, (at) => [`${at}`, reference(times(at + 1, () => 'a').join('.'))]),
      ),
      secretOutputs(nested(items((at) => `${at}`))),
    ],
    receivedFrom,
  ),
  worst(
    'reconcilers/resource/unresolved explainUnresolved',
    'references that miss one of many outputs',
    () => [members((name) => reference(`-${name}`)), members(() => 1)],
    (config, outputs) => explainUnresolved(resolveWith(config, outputs).unresolved),
  ),
];

function missing(names: readonly string[]): ReferenceProblem {
  return { why: 'noOutput', missing: 0, names: new Set(names) };
}
