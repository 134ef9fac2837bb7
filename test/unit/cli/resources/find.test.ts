import { expect, it } from 'vitest';
import { oneResource, selectorIn } from '../../../../src/cli/resources/find.ts';
import { ExitCode, worstOf } from '../../../../src/cli/terminal/exit-codes.ts';
import { durationIn } from '../../../../src/cli/terminal/flags.ts';

const shop = { provider: 'postgres', resource: 'database', name: 'shop' };

it.each([
  ['postgres', true, undefined],
  ['postgres/database', true, undefined],
  ['postgres/database/shop', true, 'postgres/database/shop'],
  ['postgres:database:shop', true, 'postgres:database:shop'],
  ['resource:postgres_database_shop', true, 'resource:postgres_database_shop'],
  ['*/database', true, undefined],
  ['post*/*/s*p', true, undefined],
  ['postgres/role', false, undefined],
  ['postgres/database/other', false, 'postgres/database/other'],
  ['po.tgres', false, undefined],
])('%s selects: %s', (text, matches, id) => {
  const selector = selectorIn(text);
  expect([selector.matches(shop), selector.id]).toEqual([matches, id]);
});

it.each(['', 'a//c', 'a/b/c/d', '-a', 'a b'])('refuses the selector "%s"', (text) => {
  expect(() => selectorIn(text)).toThrow('selects no resource');
});

it('wants one resource where several make no sense', () => {
  expect(() => oneResource('postgres')).toThrow('must name one resource');
});

it.each([
  ['0', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['2d', 172_800_000],
])('reads the time %s', (text, ms) => {
  expect(durationIn(text, '--timeout')).toBe(ms);
});

it.each(['', '5', 'm', '5 m', '-5m', '1.5h'])('refuses the time "%s"', (text) => {
  expect(() => durationIn(text, '--timeout')).toThrow('--timeout must be a time');
});

it('ends several failures with the most severe', () => {
  expect(worstOf([])).toBe(ExitCode.done);
  expect(worstOf([0, 7, 1])).toBe(ExitCode.failed);
  expect(worstOf([1, 2, 8])).toBe(ExitCode.unreachable);
  expect(worstOf([6, 4, 8])).toBe(ExitCode.notAllowed);
});
