import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxOutputsBytes } from '../../../src/domain/event.ts';
import { interpret } from '../../../src/events/answers.ts';
import { clean } from '../../../src/lib/text.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

/** Bodies that are nearly right get further than noise does. */
const likely = fc.record(
  {
    outputs: fc.jsonValue(),
    retry_after: fc.oneof(fc.double(), fc.jsonValue()),
    message: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    context: fc.jsonValue(),
    error: fc.oneof(
      fc.record({ code: fc.string(), message: fc.string({ unit: 'binary' }) }),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((text) => Buffer.from(text)),
  likely.map((value) => Buffer.from(JSON.stringify(value))),
);
const status = fc.oneof(
  fc.constantFrom(200, 202, 400, 429, 500),
  fc.integer({ min: 100, max: 999 }),
);
const header = fc.option(fc.string(), { nil: undefined });

it('maps any response to one of three outcomes, within the limits of storage', () => {
  fc.assert(
    fc.property(
      status,
      body,
      header,
      fc.boolean(),
      (statusSent, bodySent, retryAfter, deleting) => {
        const raw = { status: statusSent, retryAfter, body: bodySent };
        const answer = interpret(raw, { deleting, now });
        expect(['succeeded', 'later', 'failed']).toContain(answer.kind);
        expect(JSON.parse(JSON.stringify(answer)), 'it is JSON').toEqual(answer);
        const {
          outputs = {},
          message = '',
          retryAfterMs: wait = 0,
        } = { ...answer } as {
          outputs?: object;
          message?: string;
          retryAfterMs?: number;
        };
        expect(Buffer.byteLength(JSON.stringify(outputs))).toBeLessThanOrEqual(maxOutputsBytes);
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
        expect(wait).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 2_000 },
  );
});

it('strips and limits text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 8, max: 64 }), (text, limit) => {
      const shown = clean(text, limit);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit);
      expect(shown.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
      expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});
