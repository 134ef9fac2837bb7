// Progress in words.
import { expect, it } from 'vitest';
import { progressPercent, progressText } from '../../../../src/domain/progress/text.ts';

it.each([
  [{ done: 20_000, total: 100_000, message: 'Copying' }, '20,000 of 100,000 (20 %): Copying'],
  [{ done: 2.5, total: 10, message: null }, '2.5 of 10 (25 %)'],
  [{ done: 1_234, total: null, message: 'Copying' }, '1,234 done: Copying'],
  [{ done: 0, total: 0 }, '0 of 0'],
  [{ message: 'Copying' }, 'Copying'],
  [null, ''],
])('says %j', (progress, text) => {
  expect(progressText(progress)).toBe(text);
});

it.each([
  [999, 1_000, 99],
  [57, 100, 57],
  [0.57, 1, 57],
  [5, 5, 100],
  [0, 0, undefined],
])('%d of %d are %s percent', (done, total, percent) => {
  expect(progressPercent({ done, total })).toBe(percent);
});
