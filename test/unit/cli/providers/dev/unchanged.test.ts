import { expect, it } from 'vitest';
import type { CheckedType } from '../../../../../src/cli/providers/dev/check-program.ts';
import {
  type CheckedInput,
  type Round,
  unchangedTypes,
  withEarlier,
} from '../../../../../src/cli/providers/dev/unchanged.ts';

const checked: CheckedType = {
  resource: 'crate',
  schema: {},
  problems: ['broken'],
  isSkipped: false,
  files: ['crate.ts', 'provider.ts'],
  ms: 1,
};

function seen(
  files: Readonly<Record<string, string>> = {},
  input: Partial<CheckedInput['input']> = {},
) {
  const known = { 'crate.ts': '1', 'wagon.ts': '1', 'provider.ts': '1', 'a.example.yaml': '1' };
  return {
    input: { cases: { crate: { config: {} }, wagon: { config: {} } }, settings: {}, ...input },
    files: new Map(Object.entries({ ...known, ...files })),
  } satisfies CheckedInput;
}

const before: Round = {
  seen: seen(),
  types: [checked, { ...checked, resource: 'wagon', files: ['wagon.ts', 'provider.ts'] }],
};

it.each([
  ['nothing is written', seen(), ['crate', 'wagon']],
  ['its own file is written', seen({ 'crate.ts': '2' }), ['wagon']],
  ['a file that both import is written', seen({ 'provider.ts': '2' }), []],
  ['a module is added that nobody imports', seen({ 'test.ts': '1' }), ['crate', 'wagon']],
  ['a file is written that any of them may read', seen({ 'query.sql': '1' }), []],
  [
    'an example is written, without another config',
    seen({ 'a.example.yaml': '2' }),
    ['crate', 'wagon'],
  ],
  [
    'a config is another one',
    seen({}, { cases: { crate: { config: { size: 1 } }, wagon: { config: {} } } }),
    ['wagon'],
  ],
  ['a setting is another one', seen({}, { settings: { url: 'a' } }), []],
] as const)('when %s', (_name, now, unchanged) => {
  expect(unchangedTypes(before, now)).toEqual(unchanged);
});

it('checks everything at first', () => {
  expect(unchangedTypes(undefined, seen())).toEqual([]);
});

it('keeps the problems of what is not checked again', () => {
  const skipped = { ...checked, problems: null, isSkipped: true, files: [] };
  expect(withEarlier([skipped], before)).toEqual([{ ...checked, isSkipped: true }]);
});
