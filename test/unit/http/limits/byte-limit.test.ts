// The limit of held bytes: each holder may hold as many bytes as it leaves free.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createByteLimit } from '../../../../src/http/limits/byte-limit.ts';

const full = expect.objectContaining({ code: 'too_many_requests', retryAfter: 1 });

it('[I7] allows one organization half, for any number of requests', () => {
  const byteLimit = createByteLimit(1_000);
  for (let request = 0; request < 5; request += 1) byteLimit.enter('a').hold(100);
  expect(() => byteLimit.enter('a').hold(1)).toThrow(full);
  expect(() => byteLimit.enter('b').hold(250)).not.toThrow();
});

it('releases the bytes of a request once', () => {
  const byteLimit = createByteLimit(1_000);
  const share = byteLimit.enter('a');
  share.hold(300);
  share.hold(200);
  expect(() => share.hold(1)).toThrow(full);
  share.leave();
  share.leave();
  const other = byteLimit.enter('a');
  expect(() => other.hold(500)).not.toThrow();
});

it('counts the bytes that are present, and rejects further ones', () => {
  const byteLimit = createByteLimit(1_000);
  byteLimit.enter('a').count(2_000);
  expect(() => byteLimit.enter('b').hold(1)).toThrow(full);
});

it('[I7] always has room for a new organization', () => {
  const asked = fc.array(fc.tuple(fc.nat(8), fc.integer({ min: 1, max: 400 })), { maxLength: 200 });
  fc.assert(
    fc.property(asked, (requests) => {
      const byteLimit = createByteLimit(10_000);
      for (const [organization, bytes] of requests) {
        try {
          byteLimit.enter(`colluding-${organization}`).hold(bytes);
        } catch {
          // Refused; the next one tries.
        }
      }
      // After nine holders that took all they could, a tenth still gets a part.
      expect(() => byteLimit.enter('newcomer').hold(10)).not.toThrow();
    }),
  );
});
