import { expect, it } from 'vitest';
import {
  localInput,
  timeIn,
} from '../../../../../../src/console/pages/resource/dialogs/local-input.ts';

it('a time that is typed is one of the zone of the browser', () => {
  const time = timeIn('2026-02-01T08:05');
  expect(time).toBe(new Date(2026, 1, 1, 8, 5).toISOString());
  expect(localInput(time ?? '')).toBe('2026-02-01T08:05');
  expect(timeIn('')).toBeUndefined();
});
