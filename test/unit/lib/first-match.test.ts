import { expect, it } from 'vitest';
import { firstMatch } from '../../../src/lib/first-match.ts';

const large = (size: number) => (size > 10 ? 'large' : undefined);
const even = (size: number) => (size % 2 === 0 ? 'even' : undefined);

it.each([
  { size: 12, want: 'large', reason: 'Both apply; the first decides.' },
  { size: 2, want: 'even', reason: 'The first does not apply.' },
  { size: 3, want: undefined, reason: 'None applies.' },
])('decides $want for $size', ({ size, want, reason }) => {
  expect(firstMatch([large, even], size), reason).toBe(want);
});
