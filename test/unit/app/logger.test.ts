// What people read of the log, in the middle of the text of `npm start`.
import { expect, it } from 'vitest';
import { lineForPeople } from '../../../src/app/logger.ts';

it.each([
  [
    { kind: 'Pod', failures: 3 },
    'A watch was interrupted',
    'warn: A watch was interrupted (kind Pod, failures 3)',
  ],
  [{}, 'Late', 'warn: Late'],
  [
    { error: { name: 'Error', message: 'no\nroute', stack: 'at x' } },
    'Lost',
    'warn: Lost (error no route)',
  ],
  [{ ids: [1, 2], note: '\u001b[31mred' }, 'Odd', 'warn: Odd (ids [1,2], note red)'],
])('is a line of text: %j', (fields, msg, want) => {
  const entry = {
    level: 'warn',
    time: '2026-01-01T00:00:00Z',
    component: 'fairlead',
    ...fields,
    msg,
  };
  expect(lineForPeople(JSON.stringify(entry))).toBe(`\r\u001b[K  ${want}`);
});
