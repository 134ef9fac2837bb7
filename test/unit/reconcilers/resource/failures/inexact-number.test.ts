// The API server keeps 64-bit integers. A provider would get a neighbour of what kubectl declared, so it gets nothing.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import { inFlight, now, observing } from '../../../../support/fixtures/builders.ts';

it('fails a config with an integer that is rounded, before it is sent', () => {
  const config = { a: [1, { big: 9_007_199_254_740_992 }] };
  const resolution = { config, hash: undefined, unresolved: [] };
  const observed = observing(inFlight({}, { spec: { config } }), { resolution });
  expect(decide(observed, now, defaultRetryPolicy)).toMatchObject({
    do: 'fail',
    failure: {
      code: 'INVALID_CONFIG',
      message: 'config.a.1.big: Integers beyond 2^53 - 1 lose precision; declare a string',
      reason: 'InvalidConfig',
    },
  });
});

it('fails an import by an integer that is rounded', () => {
  const observed = observing(inFlight({}, { spec: { adopt: { id: 1e20 } } }));
  expect(decide(observed, now, defaultRetryPolicy)).toMatchObject({
    do: 'fail',
    failure: {
      code: 'INVALID_CONFIG',
      message: 'adopt.id: Integers beyond 2^53 - 1 lose precision; declare a string',
    },
  });
});
