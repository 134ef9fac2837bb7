import { describe, expect, it } from 'vitest';
import { fail, later } from '../../../src/sdk/index.ts';
import { isLater, TerminalFailure } from '../../../src/sdk/outcome.ts';

describe('later', () => {
  const delays = [
    [0, 0],
    [5, 5],
    [0.25, 0.25],
    ['500ms', 0.5],
    ['5s', 5],
    ['1.5s', 1.5],
    ['2m', 120],
    ['1h', 3_600],
    ['0s', 0],
  ] as const;

  it.each(delays)('reads %j as %d seconds', (delay, seconds) => {
    expect(later(delay).seconds).toBeCloseTo(seconds, 9);
  });

  const none = [-1, Number.NaN, Number.POSITIVE_INFINITY, '', '5', '-5s', '5 s', '1e3s', 's', '5d'];

  it.each(none)('rejects "%s"', (delay) => {
    expect(() => later(delay)).toThrow(RangeError);
    expect(() => later(delay)).toThrow(`later: ${delay} is not a valid delay`);
  });

  it('carries a message and a context', () => {
    const answer = later('5s', { message: 'Copying', context: { operation: 'op-1' } });
    expect(answer).toMatchObject({ message: 'Copying', context: { operation: 'op-1' } });
  });

  it('is distinguished from outputs that look like it', () => {
    expect(isLater(later('5s'))).toBe(true);
    expect(isLater({ kind: 'later', seconds: 5 }), 'a type may have an output `kind`').toBe(false);
    for (const value of [null, undefined, 'later', 5, []]) expect(isLater(value)).toBe(false);
  });
});

it('fail throws a terminal failure', () => {
  const failing = () => fail('quota_exceeded', 'No more carts');
  expect(failing).toThrow(TerminalFailure);
  expect(failing).toThrow(
    expect.objectContaining({ code: 'quota_exceeded', message: 'No more carts' }),
  );
});
