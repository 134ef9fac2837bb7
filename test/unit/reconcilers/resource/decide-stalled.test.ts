// Permanent obstacles: resources report them, or fail with a dead letter, and no event is sent.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import { aResource, inFlight, now, observing } from '../../../support/fixtures/builders.ts';

const config = { name: 'orders' };
const unresolved = [
  {
    to: { provider: 'postgres', resource: 'role', name: 'seller' },
    path: ['usr'],
    at: ['user'],
    text: `\${postgres/role/seller.outputs.usr}`,
    why: 'missing',
    offered: ['user', 'host'],
  },
] as const;

const cases = {
  'fails a claimed event that refers to an unknown output': {
    reason: 'The referenced resource is ready, so waiting would never end.',
    observed: observing(inFlight(), { resolution: { config, hash: undefined, unresolved } }),
    want: {
      do: 'fail',
      failure: {
        code: 'UNKNOWN_OUTPUT',
        message: 'postgres/role/seller has no output "usr"; it has host, user',
      },
    },
  },
  'fails a claimed event whose config cannot be validated': {
    reason:
      'A processing resource cannot be changed; a failed one can be applied again or retried.',
    observed: observing(inFlight(), { unusable: 'the schema is not supported: not' }),
    want: { do: 'fail', failure: { code: 'SCHEMA_UNUSABLE', reason: 'SchemaUnusable' } },
  },
  'fails a claimed event whose success could not be stored': {
    reason: 'Nothing may be made that cannot be recorded.',
    observed: observing(inFlight({}, { spec: { config: { text: '<'.repeat(140_000) } } })),
    want: { do: 'fail', failure: { code: 'TOO_LARGE_TO_STORE', reason: 'TooLarge' } },
  },
  'polls an accepted operation whose success may not be stored': {
    reason: 'The provider works on it already.',
    observed: observing(
      inFlight(
        { acceptedAt: now.toISOString(), nextAttemptAt: now.toISOString() },
        { spec: { config: { text: '<'.repeat(140_000) } } },
      ),
    ),
    want: { do: 'send' },
  },
  'stalls a resource of kubectl in a missing project': {
    reason: 'No event is sent for a missing project.',
    observed: observing(aResource({ spec: { project: 'nowhere' } }), { inProject: false }),
    want: {
      do: 'explain',
      reason: 'NoProject',
      stalled: true,
      message:
        'Project nowhere does not exist. Create a project with this id, or delete the resource and apply it again in another project',
    },
  },
  'suggests the id of the default project for its name': {
    reason: 'Users often confuse the two.',
    observed: observing(aResource({ spec: { project: 'default' } }), { inProject: false }),
    want: {
      reason: 'NoProject',
      message: expect.stringMatching(/the default project, whose id is default-0123456789ab\./),
    },
  },
  'stalls on a dependency in another project': {
    reason: 'Resources cannot change their project.',
    observed: observing(aResource(), {
      unready: [{ name: 'a/b/c', is: 'otherProject' }],
    }),
    want: { do: 'explain', reason: 'DependencyInOtherProject', stalled: true },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});
