import { expect, it } from 'vitest';
import { traceIdOf, traceparentIn } from '../../../src/lib/traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const valid = `00-${traceId}-00f067aa0ba902b7-01`;

it('reads a valid value', () => {
  expect(traceparentIn(valid)).toBe(valid);
  expect(traceIdOf(valid)).toBe(traceId);
});

it.each([
  undefined,
  '',
  'x',
  valid.toUpperCase(),
  `${valid}, ${valid}`,
  `${valid}\n`,
  valid.replace('00-', '01-'),
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
])('ignores %j', (header) => {
  expect(traceparentIn(header)).toBeUndefined();
});
