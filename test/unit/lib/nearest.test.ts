import { expect, it } from 'vitest';
import { nearest } from '../../../src/lib/nearest.ts';

it.each<[string, string | undefined, string]>([
  ['gte', 'get', 'a swap of neighbours is one difference'],
  ['gett', 'get', 'a letter more'],
  ['auth', undefined, 'half of a short name is another word'],
  ['ops', undefined, 'the same'],
  ['delte', 'delete', 'a letter less'],
  ['dleete', 'delete', 'a swap'],
  ['PUSH', 'push', 'case does not count'],
  ['postgers', 'postgres', 'the last letters'],
  ['', undefined, 'nothing'],
])('takes %j for %j: %s', (name, meant, _why) => {
  const known = ['get', 'push', 'logs', 'delete', 'postgres'];
  expect(nearest(name, known)).toBe(meant);
});
