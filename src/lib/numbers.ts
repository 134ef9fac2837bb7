// Sums, and which numbers are the ones that were written. JavaScript and most readers of JSON have doubles: an integer beyond
// 2^53 - 1 stands for its neighbours as well, in every spelling (1e20, 9007199254740993.0). Pure.

/** The rule is on the value, so that what is accepted is accepted when it is sent back. A fraction rounds as floating point does. */
export function isExactNumber(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Returns whether a spelling other than 0 is so small that it becomes 0. */
export function vanishes(text: string, value: number): boolean {
  return value === 0 && /^[-+]?[0-9._]*[1-9]/.test(text);
}

/** Returns whether a number that somebody typed is kept. */
export function isKeptNumber(text: string, value: number): boolean {
  return isExactNumber(value) && !vanishes(text, value);
}

/**
 * On the decimals that somebody wrote: the quotient of two doubles rounds, and a tolerance wide enough for 2.3 / 0.1 accepts 1073741825 as a
 * multiple of 1073741824.
 * @param step above 0
 */
export function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [whole, part] = [decimalOf(value), decimalOf(step)];
  const exponent = Math.min(whole.exponent, part.exponent);
  return scaled(whole, exponent) % scaled(part, exponent) === 0n;
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that reads as this double: what a person wrote. Its exponent is within ±340, so that scaling is bounded. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
