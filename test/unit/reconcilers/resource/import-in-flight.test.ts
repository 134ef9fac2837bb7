import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { inFlight, now, observing } from '../../../support/fixtures/builders.ts';

const adopt = { id: 'i-1' } as NonNullable<Resource['spec']['adopt']>;
const config = { name: 'b' };
const found = { kind: 'observed', exists: true, config: { name: 'a' }, outputs: {} } as const;
const missing = { kind: 'observed', exists: false } as const;

const importing = inFlight({ type: 'OBSERVE' }, { spec: { adopt } });

/** The event stays that of the content before the change. */
function changed(resource: Resource, spec: Partial<Resource['spec']>): Resource {
  const metadata = { ...resource.metadata, generation: 2 };
  return { ...resource, metadata, spec: { ...resource.spec, ...spec } };
}

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly answer?: NonNullable<Observed['unrecorded']>['answer'];
  readonly want: object;
}

const again = { do: 'claim', event: { type: 'OBSERVE', generation: 2 } };

const cases: Readonly<Record<string, Case>> = {
  'records what an import found': {
    reason: 'The answer is about the present content.',
    resource: importing,
    answer: found,
    want: { do: 'recordImport' },
  },
  'fails an import of what does not exist': {
    reason: 'An import never creates.',
    resource: importing,
    answer: missing,
    want: { do: 'fail', failure: { code: 'NOT_FOUND' } },
  },
  'imports anew when the config changed in flight': {
    reason:
      'After a success of the config before, the change would be an UPDATE of what is only imported.',
    resource: changed(importing, { config }),
    answer: found,
    want: again,
  },
  'imports anew when adopt changed in flight': {
    reason: 'The outputs would be those of another object.',
    resource: changed(importing, { adopt: { id: 'i-2' } as typeof adopt }),
    answer: found,
    want: again,
  },
  'writes no dead letter of an adopt that was corrected in flight': {
    reason: 'The answer is about the object that nobody wants any more.',
    resource: changed(importing, { adopt: { id: 'i-2' } as typeof adopt }),
    answer: missing,
    want: again,
  },
  'begins no event of a resource that became read-only in flight': {
    reason: 'Nothing of an object that is only observed is created or changed.',
    resource: changed(inFlight(), { config, management: 'Observed' }),
    want: { do: 'acceptReadOnly' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, resource, answer, want }) => {
  const unrecorded = answer && { answer, config: {} };
  const observed = observing(resource, { observe: true, unrecorded });
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});
