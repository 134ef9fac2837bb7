// The command line and the console show the same sign for the same word.
import { expect, it } from 'vitest';
import { signOf, styleOf } from '../../../src/cli/terminal/style.ts';
import { stateLook } from '../../../src/client/state-look.ts';
import { lookOf } from '../../../src/console/components/look.ts';

const plain = styleOf({ colours: false, unicode: true });

it.each([
  ['ready', '✓', 'good'],
  ['processing', '●', 'busy'],
  ['deleting', '◐', 'busy'],
  ['pending', '○', 'busy'],
  ['draft', '·', 'quiet'],
  ['failed', '✗', 'bad'],
  ['drifted', '≠', 'busy'],
  ['gone', '◇', 'bad'],
  ['available', '✓', 'good'],
  ['progressing', '●', 'busy'],
  ['not_deployed', '·', 'quiet'],
  ['crashed', '✗', 'bad'],
])('%s is %s in both', (word, sign, tone) => {
  expect(signOf(word, plain)).toBe(sign);
  expect(lookOf(word)).toEqual({ sign, tone });
});

it.each([
  ['Processed', undefined, { sign: '·', tone: 'quiet' }],
  ['BackOff', 'bad', { sign: '✗', tone: 'bad' }],
  ['deleting', 'quiet', { sign: '◐', tone: 'quiet' }],
  ['constructor', undefined, { sign: '·', tone: 'quiet' }],
] as const)('the console shows %s with the tone %s', (word, tone, want) => {
  expect(lookOf(word, tone)).toEqual(want);
});

it('has no look for other words', () => {
  expect(stateLook('constructor')).toBeUndefined();
  expect(signOf('toString', plain)).toBe(' ');
});
