import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint, pattern } from '../../../../src/domain/failures/fingerprint.ts';

describe('the pattern of a failure', () => {
  it.each<[string, string]>([
    ['Connection refused', 'Connection refused'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED <address>'],
    ['connect ECONNREFUSED [fd00::7]:5432', 'connect ECONNREFUSED <address>'],
    ['connect ECONNREFUSED fd00:1:2::7', 'connect ECONNREFUSED <address>'],
    ['at 2026-01-31T12:00:00.123Z it broke', 'at <time> it broke'],
    ['at 2026-01-31 12:00:00,5 it broke', 'at <time> it broke'],
    ['request 6a1c1f0e-7f0b-4c8e-9a53-0b2b7b0e1d2f failed', 'request <id> failed'],
    ['commit 0f1e2d3c4b5a failed', 'commit <id> failed'],
    ['the facade is defaced', 'the facade is defaced'],
    ['took 1.25 s of 30', 'took <n> s of <n>'],
    ['database "orders" exists', 'database <text> exists'],
    ["database 'orders' exists", 'database <text> exists'],
    ['database `orders` exists', 'database <text> exists'],
    ["it doesn't and can't", "it doesn't and can't"],
    ['  two \n\t words ', 'two words'],
    ['', ''],
  ])('of %j is %j', (message, expected) => {
    expect(pattern(message)).toBe(expected);
  });

  it.each<[string, string]>([
    ['database orders exists', 'database <name> exists'],
    ['database Orders: exists', 'database <name>: exists'],
    ['preorders are closed', 'preorders are closed'],
    ['postgres/database/orders exists', '<name> exists'],
  ])('of %j without the name of the resource is %j', (message, expected) => {
    expect(pattern(message, ['orders', 'postgres/database/orders'])).toBe(expected);
  });

  it('treats a name literally, without regular expressions', () => {
    expect(pattern('a.b and axb', ['a.b'])).toBe('<name> and axb');
  });
});

describe('the fingerprint of a failure', () => {
  const refused = { code: 'REFUSED', message: 'connect to 10.0.0.1:5432 for "a"' };
  const first = fingerprint('postgres', refused);

  it('is twelve hex digits', () => {
    expect(first).toMatch(/^[0-9a-f]{12}$/);
  });

  it('is equal for different places, names and times', () => {
    const message = 'connect to 10.0.0.2:5433 for "b"';
    expect(fingerprint('postgres', { ...refused, message })).toBe(first);
  });

  it('ignores case', () => {
    const message = refused.message.toUpperCase();
    expect(fingerprint('postgres', { ...refused, message })).toBe(first);
  });

  it.each([
    ['provider', fingerprint('mysql', refused)],
    ['code', fingerprint('postgres', { ...refused, code: 'DENIED' })],
    ['text', fingerprint('postgres', { ...refused, message: 'no route to host' })],
  ])('differs for another %s', (_what, other) => {
    expect(other).not.toBe(first);
  });
});

describe('arbitrary text of a provider', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4_096 }),
    fc
      .array(
        fc.constantFrom('"', "'", '`', 'a', '0', ':', '.', '-', ' ', '[', 'f', '1.', 't', '\n'),
        {
          maxLength: 4_096,
          size: 'max',
        },
      )
      .map((parts) => parts.join('')),
  );

  it('has a constant pattern, regardless of case', () => {
    fc.assert(
      fc.property(anything, (message) => {
        const found = pattern(message);
        expect(pattern(message)).toBe(found);
        expect(found).toBe(found.trim());
      }),
      { numRuns: 200 },
    );
  });

  it.each(['"', "'", ' "', " '", '0', 'f', '0f', 'a:', ':', '[', '[0', '1.', '-', '2026-', 'é'])(
    'is processed in linear time: %j repeated to 64 KiB',
    (part) => {
      const message = part.repeat(65_536 / part.length);
      const before = process.cpuUsage();
      pattern(message, [part.repeat(3)]);
      const { user } = process.cpuUsage(before);
      expect(user / 1_000).toBeLessThan(500);
    },
  );
});
