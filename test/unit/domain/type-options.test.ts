import { expect, it } from 'vitest';
import {
  type DeclaredTypeOptions,
  typeOptionFields,
  typeOptionsBody,
  typeOptionsIn,
} from '../../../src/domain/type-options.ts';
import { areValues, defaultsOf } from '../../../src/lib/fields.ts';

const cases: Record<string, [DeclaredTypeOptions, object]> = {
  nothing: [{}, {}],
  'a time limit': [{ timeoutSeconds: 900 }, { timeout_seconds: 900 }],
  attempts: [{ retry: { attempts: 3 } }, { retry: { attempts: 3 } }],
  'a longest wait': [{ retry: { maxDelaySeconds: 9 } }, { retry: { max_delay_seconds: 9 } }],
  'a handler that can be cancelled': [{ cancellable: true }, { cancellable: true }],
  'operations that can be cancelled': [{ cancelsOperations: true }, { cancels_operations: true }],
  'deliveries at a time': [{ concurrency: 4 }, { concurrency: 4 }],
  'a limit of operations': [{ operationLimitSeconds: 86_400 }, { operation_limit_seconds: 86_400 }],
  observations: [
    { observe: true, observeEvery: '10m', compareDefaults: true, listable: true },
    { observe: true, observe_every: '10m', compare_defaults: true, listable: true },
  ],
  everything: [
    {
      timeoutSeconds: 1,
      retry: { attempts: 20, maxDelaySeconds: 600 },
      cancellable: true,
      cancelsOperations: true,
      concurrency: 1_000,
      operationLimitSeconds: 60,
      observe: true,
      observeEvery: '1m',
      compareDefaults: true,
      listable: true,
    },
    {
      timeout_seconds: 1,
      retry: { attempts: 20, max_delay_seconds: 600 },
      cancellable: true,
      cancels_operations: true,
      concurrency: 1_000,
      operation_limit_seconds: 60,
      observe: true,
      observe_every: '1m',
      compare_defaults: true,
      listable: true,
    },
  ],
};

it.each(Object.entries(cases))('converts %s to a body and back', (_what, [options, body]) => {
  expect(typeOptionsBody(options)).toStrictEqual(body);
  expect(typeOptionsIn(body)).toStrictEqual(options);
});

it('takes false for what is absent', () => {
  expect(typeOptionsIn({ cancellable: false, cancels_operations: null })).toStrictEqual({});
  expect(typeOptionsBody({ cancellable: false, cancelsOperations: false })).toStrictEqual({});
});

it('takes null for what is absent, and leaves out what is undefined', () => {
  expect(typeOptionsIn({ timeout_seconds: null, retry: null, concurrency: null })).toStrictEqual(
    {},
  );
  const options = { timeoutSeconds: undefined, retry: { attempts: 3, maxDelaySeconds: undefined } };
  expect(typeOptionsBody(options)).toStrictEqual({ retry: { attempts: 3 } });
});

const none = defaultsOf(typeOptionFields);
const whole: [string, object, boolean][] = [
  ['none', none, true],
  ['some retries', { ...none, retry: { attempts: 3 } }, true],
  ['retries that are no numbers', { ...none, retry: { attempts: '3' } }, false],
  ['retries that are no object', { ...none, retry: 3 }, false],
  ['half a second', { ...none, timeoutSeconds: 0.5 }, false],
  ['a missing option', { ...none, timeoutSeconds: undefined }, false],
];

it.each(whole)('recognises %s', (_what, values, isWhole) => {
  expect(areValues(typeOptionFields, values)).toBe(isWhole);
});
