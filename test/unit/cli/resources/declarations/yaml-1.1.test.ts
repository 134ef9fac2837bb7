// Plain scalars that the same file has as other values with kubectl.
import { expect, it } from 'vitest';
import { editedSource } from '../../../../../src/cli/resources/declarations/source.ts';
import { parseYaml } from '../../../../../src/cli/resources/declarations/yaml.ts';

const asKubectl = 'in YAML 1.1, as kubectl reads it; write';

it.each([
  ['mode: 0644', `a.yaml:1:7: 0644 is 644 here, and 420 ${asKubectl} 644 or 420`],
  ['a: {country: no}', `a.yaml:1:14: no is "no" here, and false ${asKubectl} "no" or false`],
  ['list: [a, On]', `a.yaml:1:11: On is "On" here, and true ${asKubectl} "On" or true`],
  ['size: 1_000', `a.yaml:1:7: 1_000 is "1_000" here, and 1000 ${asKubectl} "1_000" or 1000`],
  ['bits: 0b101', `a.yaml:1:7: 0b101 is "0b101" here, and 5 ${asKubectl} "0b101" or 5`],
  ['y: 1', `a.yaml:1:1: y is "y" here, and "true" ${asKubectl} "y" or "true"`],
])('%s is warned of with its place and what to write', async (text, want) => {
  const warnings: string[] = [];
  const problems: object[] = [];
  const source = editedSource('a.yaml', text);
  await parseYaml(
    source,
    (each) => problems.push(each),
    (each) => warnings.push(each),
  );
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [want] });
});

it.each([
  ...[
    'a: "no"',
    "a: '0644'",
    'a: true',
    'a: null',
    'a: ~',
    'a: 10',
    'a: -1.5',
    'a: 1e3',
    'a: +1',
    'a: 0x1F',
  ],
  ...[
    'a: 0o644',
    'a: 12:30',
    'a: 2026-01-01',
    'a: nothing',
    'a: 1.2.3',
    'a: 10m',
    '{"a": "no"}',
    'a: .5',
    '1: x',
  ],
])('%s is read alike', async (text) => {
  const warnings: string[] = [];
  await parseYaml(
    editedSource('a.yaml', text),
    () => undefined,
    (each) => warnings.push(each),
  );
  expect(warnings).toEqual([]);
});
