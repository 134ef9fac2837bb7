// What happens to resources when the version of their provider lacks their type, or has another schema.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import {
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
} from '../../../../support/fixtures/builders.ts';

const servedBy = { version: '20260102.000002', since: '2026-01-02T00:00:00.000Z' };
const typeRetired = { version: servedBy.version, at: servedBy.since };

const cases = {
  'names the version whose schema refuses a config that was accepted before it took over': {
    reason: 'Its author saw it accepted.',
    observed: observing(inFlight(), {
      violations: [{ loc: ['size'], msg: 'Field required', type: 'missing' }],
      servedBy,
    }),
    want: {
      do: 'fail',
      failure: {
        reason: 'InvalidConfig',
        message: `config.size: Field required. The schema is that of version ${servedBy.version} of the provider, which has served since ${servedBy.since}`,
      },
    },
  },
  'waits for a version that has the type of a new resource': {
    reason: 'kubectl can create it.',
    observed: observing(aResource(), { typeRegistered: false, typeRetired }),
    want: {
      do: 'explain',
      reason: 'TypeRetired',
      message: `Type postgres/database is retired: version ${servedBy.version} of the provider, which has served since ${servedBy.since}, lacks it. The resource waits for a version that has the type`,
    },
  },
  'fails a claimed event of a retired type without sending it': {
    reason: 'No pod that serves can process it, and a resource in flight cannot be changed.',
    observed: observing(inFlight({ attempt: 2 }), { typeRegistered: false, typeRetired }),
    want: { do: 'fail', failure: { code: 'TYPE_RETIRED', reason: 'TypeRetired' } },
  },
  'leaves a ready resource of a retired type alone': {
    reason: 'It stays readable.',
    observed: observing(readyResource(), { typeRegistered: false, typeRetired }),
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});
