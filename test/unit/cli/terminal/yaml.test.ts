// What YAML 1.1 and YAML 1.2 read differently is quoted: kubectl and PyYAML read 1.1.
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlOf } from '../../../../src/cli/terminal/yaml.ts';

const texts = [
  'no',
  'Yes',
  'on',
  'y',
  '1_000',
  '0644',
  '0b11',
  '12:30:45',
  '2026-01-31',
  'tab\there',
  '.inf',
];

it.each(texts)('writes %j as text for both', async (text) => {
  const written = await yamlOf({ a: text, [text]: [text] });
  const want = { a: text, [text]: [text] };
  expect(parse(written, { version: '1.1' })).toEqual(want);
  expect(parse(written, { version: '1.2' })).toEqual(want);
  expect(written).not.toContain('\t');
});
