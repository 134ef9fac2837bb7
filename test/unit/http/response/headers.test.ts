// The header Warning: what a client reads back is what was meant, whatever names of tenants are in it.
import { expect, it } from 'vitest';
import { warningHeader } from '../../../../src/http/response/headers.ts';

it.each([
  [[], {}],
  [['One'], { Warning: '299 - "One"' }],
  [['One', 'Two', 'One'], { Warning: '299 - "One", 299 - "Two"' }],
  [['no output "a\\b"'], { Warning: '299 - "no output \\"a\\\\b\\""' }],
  [['a\r\nSet-Cookie: b', 'größe'], { Warning: '299 - "a??Set-Cookie: b", 299 - "gr??e"' }],
])('of %j', (texts, want) => {
  expect(warningHeader(texts)).toEqual(want);
});

it('is bounded', () => {
  const texts = Array.from({ length: 99 }, (_, at) => `${at} ${'x'.repeat(10_000)}`);
  expect(warningHeader(texts)['Warning']?.length).toBeLessThan(3_000);
});
