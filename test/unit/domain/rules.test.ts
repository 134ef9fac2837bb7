import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentHash } from '../../../src/domain/lifecycle.ts';
import { defaultRetryPolicy, policyOfType, retryDelay } from '../../../src/domain/retry.ts';
import { canonicalJson, type JsonValue } from '../../../src/lib/json.ts';

const delays = {
  'the first failure, unlucky': [{ attempt: 1, random: 0.999 }, 999, 'base is 1 s'],
  'the first failure, lucky': [{ attempt: 1, random: 0 }, 0, 'full jitter may be nothing'],
  'the fourth failure': [{ attempt: 4, random: 0.5 }, 4_000, 'doubled each time'],
  'the twentieth failure': [{ attempt: 20, random: 0.999 }, 59_940, 'capped at 60 s'],
  'a provider that asks for more': [
    { attempt: 1, random: 0.5, retryAfterMs: 9_000 },
    9_000,
    'Retry-After is a lower bound',
  ],
  'a provider that asks for less': [
    { attempt: 4, random: 0.5, retryAfterMs: 10 },
    4_000,
    'the backoff stays',
  ],
  'a provider that asks for a day': [
    { attempt: 1, random: 0.5, retryAfterMs: 86_400_000 },
    300_000,
    'capped at 5 min',
  ],
} as const;

it.each(Object.entries(delays))('waits after %s', (_name, [input, want, reason]) => {
  expect(retryDelay(defaultRetryPolicy, input), reason).toBe(want);
});

const installed = { ...defaultRetryPolicy, maxAttempts: 4, capMs: 30_000 };
const policies = {
  'that declares nothing': [undefined, {}, 'the settings of the installation apply'],
  'with attempts': [{ attempts: 20 }, { maxAttempts: 20 }, 'the waits stay'],
  'with one attempt': [{ attempts: 1 }, { maxAttempts: 1 }, 'fewer than the installation'],
  'with a longest wait': [{ maxDelaySeconds: 600 }, { capMs: 600_000 }, 'the attempts stay'],
  'with both': [
    { attempts: 2, maxDelaySeconds: 1 },
    { maxAttempts: 2, capMs: 1_000 },
    'less than the installation',
  ],
} as const;

it.each(Object.entries(policies))(
  'has the retry policy of a type %s',
  (_name, [retry, want, reason]) => {
    expect(policyOfType(installed, { retry }), reason).toEqual({ ...installed, ...want });
  },
);

it('has the limit of operations of a type that declares one', () => {
  const { operationLimitMs } = policyOfType(installed, { operationLimitSeconds: 43_200 });
  expect(operationLimitMs).toBe(43_200_000);
});

const json = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<JsonValue>;

it('writes canonical JSON that reads back as the same value', () => {
  fc.assert(
    fc.property(json, (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
    }),
  );
});

it('gives equal values equal texts, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(canonicalJson(reversed as JsonValue)).toBe(canonicalJson(object as JsonValue));
    }),
  );
});

const content = { lifecycle: 'Committed', config: { a: 1 } } as const;

it('treats absent and empty dependencies as the same content', () => {
  expect(contentHash({ ...content, dependencies: [] })).toBe(contentHash(content));
});
