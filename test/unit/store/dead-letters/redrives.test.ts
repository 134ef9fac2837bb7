import { expect, it } from 'vitest';
import { accepts, type Redrive } from '../../../../src/store/dead-letters/redrives.ts';

const deadLetter = { provider: 'box', cause: 'c', createdVersion: '50' };
const redrive = (more: Partial<Redrive> = {}): Redrive => ({
  provider: undefined,
  untilVersion: '50',
  accepted: 1,
  causes: {},
  ...more,
});
const cause = (state: 'trying' | 'open' | 'held') => ({
  causes: { 'box/c': { canary: 'evt-1', type: 'CREATE', state } as const },
});

const cases: readonly (readonly [string, Redrive, boolean])[] = [
  ['one of all providers', redrive(), true],
  ['one of its provider', redrive({ provider: 'box' }), true],
  ['one of another provider', redrive({ provider: 'van' }), false],
  ['one that accepted newer ones, too', redrive({ untilVersion: '100' }), true],
  ['one that accepted older ones', redrive({ untilVersion: '49' }), false],
  ['one that tries its cause', redrive(cause('trying')), true],
  ['one that sends its cause', redrive(cause('open')), true],
  ['one that holds its cause', redrive(cause('held')), false],
];

it.each(cases)('a letter is sent by %s: %j → %j', (_what, each, expected) => {
  expect(accepts(each, deadLetter)).toBe(expected);
});
