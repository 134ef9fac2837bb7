// What is stored of a progress that a handler reports.
import { expect, it } from 'vitest';
import { parseProgress } from '../../../../src/domain/progress/value.ts';

it.each([
  [{ done: 3, total: 10, message: 'Copying' }, undefined],
  [{ done: 0, total: 0 }, undefined],
  [{ message: 'Waiting' }, undefined],
  [
    { done: 1 / 3, total: 2 / 3 },
    { done: 0.333, total: 0.667 },
  ],
  [{ done: 1e12 + 0.4 }, { done: 1e12 }],
  [{ done: 1, total: null, message: undefined }, { done: 1 }],
  [
    { done: 1, message: ' two\n\tlines \u001b[31m' },
    { done: 1, message: 'two lines' },
  ],
  [
    { done: 1, message: 'x'.repeat(300) },
    { done: 1, message: `${'x'.repeat(199)}…` },
  ],
  [{ done: 1, message: '\n' }, { done: 1 }],
])('keeps %j', (given, stored) => {
  expect(parseProgress(given)).toEqual(stored ?? given);
});

it.each([
  [undefined, 'it must be an object'],
  [5, 'it must be an object'],
  [{}, 'done or message must be given'],
  [{ message: '' }, 'done or message must be given'],
  [{ total: 5 }, 'done must be given with total'],
  [{ done: 6, total: 5 }, 'done (6) must not be above total (5)'],
  [{ done: -1 }, 'done must be a number from 0 to 999999999999999'],
  [{ done: Number.NaN }, 'done must be a number from 0 to 999999999999999'],
  [{ done: '3' }, 'done must be a number from 0 to 999999999999999'],
  [{ done: 1, total: Infinity }, 'total must be a number from 0 to 999999999999999'],
  [{ done: 1, message: 5 }, 'message must be a text'],
])('refuses %j', (given, problem) => {
  expect(parseProgress(given)).toEqual({ problem });
});
