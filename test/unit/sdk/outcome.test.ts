import { describe, expect, it } from 'vitest';
import { fail, later, retry } from '../../../src/sdk/index.ts';
import { isLater, TemporaryFailure, TerminalFailure } from '../../../src/sdk/outcome.ts';

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

  it.each(none as (number | '5s')[])('rejects "%s"', (delay) => {
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

describe('retry', () => {
  const wish = { code: 'rate_limited', message: 'Slow down' };

  it.each([
    ['90s', 90],
    [90, 90],
    ['1.5m', 90],
    ['2h', 7_200],
    [-3, 0],
  ] as const)('throws a failure that passes after %j', (after, seconds) => {
    const retrying = () => retry({ ...wish, after });
    expect(retrying).toThrow(TemporaryFailure);
    expect(retrying).toThrow(expect.objectContaining({ ...wish, seconds, scope: 'resource' }));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '', '90', '-5s', 'soon'] as (number | '5s')[])(
    'rejects "%s"',
    (after) => {
      expect(() => retry({ ...wish, after })).toThrow(RangeError);
      expect(() => retry({ ...wish, after })).toThrow(`retry: ${after} is not a valid delay`);
    },
  );

  it('rejects another scope', () => {
    const scope = 'type' as 'provider';
    expect(() => retry({ ...wish, after: 1, scope })).toThrow(
      new TypeError('retry: scope is type; it must be "resource" or "provider"'),
    );
  });
});
