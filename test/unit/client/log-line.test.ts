import { expect, it } from 'vitest';
import { logLineParts, parseLogLine } from '../../../src/client/log-line.ts';

it.each([
  ['"2026-01-31T12:00:00.123Z"', '12:00:00.123Z'],
  ['"2026-01-31T12:00:00+02:00"', '10:00:00.000Z'],
  ['"noon"', ''],
  ['17', ''],
])('shows the time %s with its zone', (time, clock) => {
  expect(logLineParts(parseLogLine(`p-1 {"time":${time},"message":"x"}`)).clock).toBe(clock);
});
