import { expect, it } from 'vitest';
import { extentText } from '../../../../src/cli/providers/log-extent.ts';

const now = new Date('2026-01-31T12:05:00.000Z');
const since = '2026-01-31T12:00:00.000Z';

it.each([
  [
    { pods: 1, lines: 1, since },
    '1 line of 1 pod was read, since 2026-01-31T12:00:00.000Z (5m ago).',
  ],
  [
    { pods: 2, lines: 0, since },
    '0 lines of 2 pods were read, since 2026-01-31T12:00:00.000Z (5m ago).',
  ],
  [{ pods: 1, lines: 0, since: null }, '0 lines of 1 pod were read.'],
  [{ pods: 0, lines: 0, since: null }, 'The provider has no pods now.'],
])('shows %j for people', (extent, want) => {
  expect(extentText(extent, now)).toBe(want);
});
