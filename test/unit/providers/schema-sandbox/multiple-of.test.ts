// Multiples are those of the decimal numbers that somebody wrote.
import { expect, it } from 'vitest';
import { isMultiple } from '../../../../src/lib/numbers.ts';
import { compileSchema } from '../../../../src/providers/schema-sandbox/compile.ts';

const cases: readonly (readonly [step: number, value: number, is: boolean, reason: string])[] = [
  [1_073_741_824, 1_073_741_825, false, 'integers are exact'],
  [1_073_741_824, 2_147_483_648, true, 'integers are exact'],
  [3, 9_007_199_254_740_991, false, 'the remainder is 1'],
  [0.1, 2.3, true, '2.3 / 0.1 is 22.999999999999996'],
  [0.1, 2.35, false, 'it is half a step too much'],
  [0.01, 19.99, true, '19.99 / 0.01 is 1998.9999999999998'],
  [0.01, 1_000_000_000.001, false, 'a tolerance grows with the quotient'],
  [0.5, 7, true, 'one is an integer'],
  [2, 0.5, false, 'one is an integer'],
  [1e-7, 0.0000123, true, 'exponents are spellings'],
  [5e-324, 1.5e308, true, 'the widest scale'],
  [1e300, 5e-324, false, 'the widest scale'],
  [0.1, 0, true, '0 is a multiple of everything'],
  [0.1, -0.3, true, 'signs do not matter'],
];

it.each(cases)('multipleOf %s: %s is %s, as %s', (step, value, is) => {
  expect(isMultiple(value, step)).toBe(is);
  expect(compileSchema({ multipleOf: step })(value).length === 0).toBe(is);
});

it('says what the step is', () => {
  expect(compileSchema({ multipleOf: 1_073_741_824 })(1_073_741_825)).toMatchObject([
    { type: 'multiple_of', msg: 'Input should be a multiple of 1073741824' },
  ]);
});
