import { expect, it } from 'vitest';
import { createBudget } from '../../../src/lib/budget.ts';
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

it('looks no further once its budget is spent, which it shares with others', () => {
  const budget = createBudget(1_000);
  const known = Array.from({ length: 100 }, (_, at) => `${'a'.repeat(58)}${at}`);
  expect(nearest(`${'a'.repeat(57)}b7`, known, budget)).toBe(known[0]);
  expect(budget.spent).toBeGreaterThan(1_000);
  expect(budget.spent).toBeLessThan(1_500);
  expect(nearest('gett', ['get'], budget)).toBeUndefined();
});
