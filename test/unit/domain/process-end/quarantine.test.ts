// Time that does not count, as a pod reports it.
import { expect, it } from 'vitest';
import { waitedIn } from '../../../../src/domain/process-end/quarantine.ts';

it.each([
  ['12345', 12_345],
  ['0', 0],
  ['999999999999999', 3_600_000],
  ['9999999999999999', 0],
  ['-1', 0],
  ['1.5', 0],
  [' 1', 0],
  ['', 0],
  [undefined, 0],
  [['1', '2'], 0],
])('%o is %d ms', (field, ms) => {
  expect(waitedIn(field)).toBe(ms);
});
