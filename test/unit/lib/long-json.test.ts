import { expect, it } from 'vitest';
import { longJsonText } from '../../../src/lib/long-json.ts';
import { measureTurns, runShortWork } from '../../../src/lib/turns.ts';

it.each<[string, Record<string, unknown>]>([
  ['nothing', {}],
  ['lists', { a: [1, { b: [2] }, null], c: [] }],
  ['values that JSON leaves out', { a: undefined, b: [undefined, () => 1], c: null, d: 'x"y' }],
])('is what JSON.stringify makes of %s', async (_what, value) => {
  expect(await longJsonText(value)).toBe(JSON.stringify(value));
});

it('lets others run between the items of a long list', async () => {
  const item = { text: 'x'.repeat(250_000) };
  const value = { items: Array.from({ length: 60 }, () => item) };
  let turns = 0;
  await new Promise<void>((resolve) => {
    runShortWork(() => {
      measureTurns(() => {
        turns += 1;
      });
      void longJsonText(value).then(() => resolve());
    });
  });
  expect(turns).toBeGreaterThan(2);
});
