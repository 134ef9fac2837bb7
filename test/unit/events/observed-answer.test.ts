// Answers to an OBSERVE: only the explicit one says that an object is gone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxOutputsBytes } from '../../../src/domain/event.ts';
import { interpret } from '../../../src/events/answers.ts';

const now = new Date('2026-01-01T00:00:00.000Z');

/** A body that is a text or bytes is sent as it is, anything else as JSON. */
function answerTo(status: number, body: unknown) {
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isPlain ? body : JSON.stringify(body));
  const raw = { status, retryAfter: undefined, body: bytes };
  return interpret(raw, { observing: true, deleting: false, now });
}

const there = { exists: true, config: { size: 2 }, outputs: { url: 'x' } };
const seen = { kind: 'observed', ...there };
const gone = { kind: 'observed', exists: false };
const invalid = { kind: 'failed', terminal: false, code: 'INVALID_ANSWER' };
const refused = (code: string) => ({ kind: 'failed', terminal: true, code });
const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
/** Bytes of `{"a":"…"}` without the text. */
const around = 8;
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - around) });

describe('gone is', () => {
  it.each<[string, number, unknown]>([
    ['exists: false', 200, { exists: false }],
    ['exists: false beside other members', 200, { ...there, exists: false, more: 1 }],
    ['exists: false with another status of success', 201, { exists: false }],
  ])('%s', (_name, status, body) => {
    expect(answerTo(status, body)).toEqual(gone);
  });

  it.each<[string, number, unknown]>([
    ['nothing', 200, ''],
    ['no content', 204, ''],
    ['an empty object', 200, {}],
    ['an empty object of old providers', 200, { outputs: {} }],
    ['null', 200, null],
    ['a list', 200, [{ exists: false }]],
    ['false', 200, false],
    ['exists that is a text', 200, { exists: 'false' }],
    ['exists that is 0', 200, { exists: 0 }],
    ['exists that is null', 200, { exists: null }],
    ['exists in another case', 200, { Exists: false }],
    ['exists inside', 200, { object: { exists: false } }],
    ['a page', 200, '<html>exists: false</html>'],
    ['half an answer', 200, '{"exists":false'],
    ['bytes that are not UTF-8', 200, Buffer.from([0x7b, 0xff, 0x7d])],
    ['an answer that is accepted for later', 202, { exists: false }],
    ['an operation under way', 202, { retry_after: 5, context: {} }],
    ['not found', 404, { exists: false }],
    ['gone', 410, { exists: false }],
    ['a refusal', 422, { error: { code: 'NOT_FOUND', message: 'not found' } }],
    ['an error', 500, { exists: false }],
    ['a timeout of a proxy', 504, '<html>'],
    ['too many requests', 429, { exists: false }],
    ['a redirect', 302, { exists: false }],
  ])('not %s', (_name, status, body) => {
    expect(answerTo(status, body)).toMatchObject({ kind: 'failed' });
  });

  it('nothing else, whatever is answered', () => {
    const bodies = fc.oneof(
      fc.jsonValue(),
      fc.record({ exists: fc.jsonValue(), config: fc.jsonValue(), outputs: fc.jsonValue() }),
      fc.record({ exists: fc.constant(false), outputs: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), bodies, (status, body) => {
        const answer = answerTo(status, body);
        const isGone = answer.kind === 'observed' && !answer.exists;
        const isOwn = typeof body === 'object' && body !== null && Object.hasOwn(body, 'exists');
        const says = isOwn && (body as { exists: unknown }).exists === false;
        const isSuccess = status >= 200 && status < 300 && status !== 202;
        expect(isGone).toBe(isSuccess && says && !Array.isArray(body));
      }),
    );
  });
});

describe('an object that exists', () => {
  it.each<[string, object, object]>([
    ['has what was observed', there, seen],
    ['may have nothing', { exists: true, config: {}, outputs: {} }, { config: {}, outputs: {} }],
    ['has no other members', { ...there, state: 'x' }, seen],
    [
      'has versions',
      { ...there, schema_version: 2, outputs_schema_version: 3 },
      {
        ...seen,
        schemaVersion: 2,
        outputsTypeVersion: 3,
      },
    ],
    [
      'has the migrated config',
      { ...there, schema_version: 2, declared: { a: 1 } },
      {
        ...seen,
        schemaVersion: 2,
        declared: { a: 1 },
      },
    ],
    [
      'has no versions that are none',
      { ...there, schema_version: '2', outputs_schema_version: 0 },
      seen,
    ],
    ['has no migrated config that is no object', { ...there, declared: [1] }, seen],
    [
      'may have 256 KiB of each',
      {
        ...there,
        config: ofBytes(maxOutputsBytes),
        outputs: ofBytes(maxOutputsBytes),
      },
      { exists: true },
    ],
  ])('%s', (_name, body, want) => {
    const answer = answerTo(200, body);
    expect(answer).toMatchObject({ kind: 'observed', exists: true });
    if (want === seen || 'schemaVersion' in want) expect(answer).toEqual(want);
    else expect(answer).toMatchObject(want);
  });

  it.each<[string, object, object]>([
    ['without a config', { exists: true, outputs: {} }, invalid],
    ['without outputs', { exists: true, config: {} }, invalid],
    ['with a config that is a list', { ...there, config: [] }, invalid],
    ['with a config that is null', { ...there, config: null }, invalid],
    ['with outputs that are a text', { ...there, outputs: 'x' }, invalid],
    ['with exists as a text', { ...there, exists: 'true' }, invalid],
    ['with exists as 1', { ...there, exists: 1 }, invalid],
    [
      'with a config that is too large',
      { ...there, config: ofBytes(maxOutputsBytes + 1) },
      refused('OUTPUTS_TOO_LARGE'),
    ],
    [
      'with outputs that are too large',
      { ...there, outputs: ofBytes(maxOutputsBytes + 1) },
      refused('OUTPUTS_TOO_LARGE'),
    ],
    [
      'with a migrated config that is too large',
      { ...there, declared: ofBytes(maxOutputsBytes + 1) },
      refused('OUTPUTS_TOO_LARGE'),
    ],
    [
      'with a config that has a number that JSON rounds',
      { ...there, config: { a: 2 ** 53 } },
      refused('INVALID_OUTPUTS'),
    ],
    [
      'with outputs that have a number that JSON rounds',
      { ...there, outputs: { a: 2 ** 53 } },
      refused('INVALID_OUTPUTS'),
    ],
  ])('is not observed %s', (_name, body, want) => {
    expect(answerTo(200, body)).toMatchObject(want);
  });

  it.each(['config', 'outputs', 'declared'])(
    'is not observed with a %s that is too deep',
    (member) => {
      const body = JSON.stringify({ ...there, [member]: { a: 0 } }).replace('0', deep);
      expect(answerTo(200, body)).toMatchObject(refused('INVALID_OUTPUTS'));
    },
  );

  it('is not observed with an accepted answer', () => {
    expect(answerTo(202, there)).toMatchObject(invalid);
  });
});

it('says what was expected, and shows no value', () => {
  const answer = answerTo(200, { exists: 'false', config: { password: 'hunter22' } });
  expect(answer).toMatchObject({
    message:
      'The provider answered 200 to an OBSERVE; expected 200 with {"exists":true,"config":{…},"outputs":{…}} or {"exists":false}',
  });
});
