// What an apply writes of an import, and of an object that is only observed.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { WantedResource } from '../../../../src/store/records.ts';
import { isPendingImport } from '../../../../src/store/resources/apply/apply-adopt.ts';
import { planApply, withVersion } from '../../../../src/store/resources/apply/apply-plan.ts';
import { optionsOf } from '../../../../src/store/resources/options.ts';
import { aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import { creatingNew, failedFor } from '../../../support/fixtures/replacements.ts';

const adopt = { id: '7' };
const only = { management: 'Observed' as const };

function wanting(changes: Partial<WantedResource> = {}): WantedResource {
  return {
    tuple: { provider: 'postgres', resource: 'database', name: 'orders' },
    config: { name: 'orders' },
    lifecycle: 'pending',
    tags: undefined,
    projectId: undefined,
    dependencies: undefined,
    ...changes,
  };
}

const draft = aResource({ spec: { lifecycle: 'Draft', adopt } });
const pending = aResource({ spec: { adopt } });
const notFound = aResource({ spec: { adopt } });
const failed: Resource = {
  ...notFound,
  status: { ...readyResource({ spec: { adopt } }).status, state: 'failed', reason: 'x' } as never,
};
delete failed.status?.appliedConfig;
const imported = readyResource({ spec: { adopt } });
const replaced = creatingNew({ spec: { adopt }, status: failedFor('ProviderFailed') });
const made = readyResource();
const found = readyResource({ spec: only, status: { management: 'Observed' } });
const sought = aResource({ spec: only });
const absent: Resource = {
  ...sought,
  status: { ...found.status, state: 'pending', reason: 'NotFound' } as never,
};

interface Case {
  readonly reason: string;
  readonly existing: Resource | undefined;
  readonly wanted: Partial<WantedResource>;
  readonly want: object;
}

const refused = (code: string, message = '') => ({
  do: 'refuse',
  error: { code, message: expect.stringContaining(message) },
});

const cases: Readonly<Record<string, Case>> = {
  'none + adopt: committed': {
    reason: 'Its first event looks for the object.',
    existing: undefined,
    wanted: { adopt },
    want: { do: 'write', change: 'create', commits: true, spec: { adopt } },
  },
  'draft + without adopt: kept': {
    reason: 'What an apply omits stays.',
    existing: draft,
    wanted: {},
    want: { do: 'write', change: 'update', spec: { adopt } },
  },
  'draft + null: cleared': {
    reason: 'A new object is created instead.',
    existing: draft,
    wanted: { adopt: null },
    want: { spec: expect.not.objectContaining({ adopt: expect.anything() }) },
  },
  'pending + the same adopt: unchanged': {
    reason: "A client's retry is safe.",
    existing: pending,
    wanted: { adopt: { ...adopt } },
    want: { do: 'leave' },
  },
  'pending + another adopt: refused': {
    reason: 'It is content, and an event looks for it.',
    existing: pending,
    wanted: { adopt: { id: '8' } },
    want: refused('resource_busy'),
  },
  'failed import + another adopt: committed': {
    reason: 'Nothing was found or made, so it can be corrected.',
    existing: failed,
    wanted: { adopt: { id: '8' } },
    want: { do: 'write', change: 'update', commits: true, spec: { adopt: { id: '8' } } },
  },
  'failed import + null: committed': {
    reason: 'A new object is created instead.',
    existing: failed,
    wanted: { adopt: null },
    want: { change: 'update', spec: expect.not.objectContaining({ adopt: expect.anything() }) },
  },
  'failed import + the same: retried': {
    reason: 'The object may exist by now.',
    existing: failed,
    wanted: {},
    want: { do: 'write', change: 'retry', spec: { adopt, retry: 1 } },
  },
  'imported + the same adopt: unchanged': {
    reason: 'A file that nobody changed stays a no-op.',
    existing: imported,
    wanted: { adopt },
    want: { do: 'leave' },
  },
  'imported + null: unchanged': {
    reason: 'Where the object comes from is a fact.',
    existing: imported,
    wanted: { adopt: null },
    want: { do: 'leave', spec: { adopt } },
  },
  'imported + another adopt: refused': {
    reason: 'The resource would take over another object in silence.',
    existing: imported,
    wanted: { adopt: { id: '8' } },
    want: refused('resource_committed', 'imported from another object already'),
  },
  'made by Fairlead + adopt: refused': {
    reason: 'Its own object would be left behind.',
    existing: made,
    wanted: { adopt },
    want: refused('resource_committed', 'has an object already'),
  },
  'replaced, and failed since + another adopt: refused': {
    reason: 'Something of the CREATE may exist, and would be left behind.',
    existing: replaced,
    wanted: { adopt: { id: '8' } },
    want: refused('resource_committed', 'imported from another object already'),
  },
  'replaced, and failed since + null: kept': {
    reason: 'Where the first object came from stays a fact.',
    existing: replaced,
    wanted: { adopt: null, config: { zone: 'c' } },
    want: { do: 'write', change: 'update', spec: { adopt } },
  },
  'processing after a success + adopt: refused for what stays so': {
    reason: 'Waiting does not help.',
    existing: inFlight({}, { status: { appliedConfig: {} } }),
    wanted: { adopt },
    want: refused('resource_committed'),
  },
  'observed + managed: committed as an option': {
    reason: 'An UPDATE follows, so type and config must be valid.',
    existing: found,
    wanted: { options: { management: 'managed' } },
    want: {
      do: 'write',
      change: 'options',
      commits: true,
      spec: expect.not.objectContaining({ management: expect.anything() }),
    },
  },
  'managed + observed: committed as an option': {
    reason: 'The type must be observable.',
    existing: made,
    wanted: { options: { management: 'observed' } },
    want: { do: 'write', change: 'options', commits: true, spec: only },
  },
  'another option: not committed': {
    reason: 'No event follows.',
    existing: made,
    wanted: { options: { observe: { every: 'never', ignore: [], onDrift: 'report' } } },
    want: { change: 'options', commits: false, spec: { observe: { every: 'never' } } },
  },
  'a draft that becomes observed: not committed': {
    reason: 'A draft need not be valid.',
    existing: aResource({ spec: { lifecycle: 'Draft' } }),
    wanted: { lifecycle: 'draft', options: { management: 'observed' } },
    want: { change: 'options', commits: false },
  },
  'observed, not found + another config: committed': {
    reason: 'The config is how the provider finds it, and no event is under way.',
    existing: absent,
    wanted: { config: { name: 'other' } },
    want: { do: 'write', change: 'update', commits: true },
  },
  'observed + replace of the same: unchanged': {
    reason: 'One request may be sent for many resources.',
    existing: found,
    wanted: { replace: true },
    want: { do: 'leave' },
  },
  'observed + replace: refused': {
    reason: 'A replacement deletes what exists.',
    existing: found,
    wanted: { config: { name: 'other' }, replace: true },
    want: refused('conflict', 'is only observed'),
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, existing, wanted, want }) => {
  expect(planApply(existing, wanting(wanted), 'default-x'), reason).toMatchObject(want);
});

it('leaves what it imports when the resource is deleted, unless the apply says otherwise', () => {
  const policyAfter = (existing: Resource | undefined, wanted: Partial<WantedResource>) => {
    const plan = planApply(existing, wanting(wanted), 'default-x');
    return 'spec' in plan ? optionsOf(plan.spec).deletionPolicy : plan.do;
  };
  expect(policyAfter(undefined, { adopt })).toBe('orphan');
  expect(policyAfter(undefined, { adopt, options: { deletionPolicy: 'delete' } })).toBe('delete');
  expect(policyAfter(failed, { adopt: null })).toBe('delete');
  expect(policyAfter(imported, {})).toBe('orphan');
  expect(policyAfter(imported, { options: { deletionPolicy: 'delete' } })).toBe('delete');
});

it('stores the policy of an import, which a release without imports obeys', () => {
  const plan = planApply(undefined, wanting({ adopt }), 'default-x');
  const spec = 'spec' in plan ? plan.spec : undefined;
  expect(spec).toMatchObject({ adopt, deletionPolicy: 'Orphan' });
  const stored = { ...failed, spec: { ...failed.spec, ...spec } };
  const created = planApply(stored, wanting({ adopt: null }), 'default-x');
  expect('spec' in created && created.spec).not.toHaveProperty('deletionPolicy');
});

it('stores no policy of an import after a CREATE that failed: a deletion must not leave what that made', () => {
  const half = inFlight({ type: 'CREATE' }, { status: { state: 'failed' } });
  const storedAfter = (existing: Resource, wanted: Partial<WantedResource>) => {
    const plan = planApply(existing, wanting(wanted), 'default-x');
    return 'spec' in plan ? (plan.spec.deletionPolicy ?? 'none') : plan.do;
  };
  const orphan = { options: { deletionPolicy: 'orphan' } } as const;
  expect(storedAfter(half, { adopt })).toBe('none');
  expect(storedAfter(half, { adopt, ...orphan })).toBe('Orphan');
  const event = { type: 'OBSERVE', createAttempted: true } as const;
  const importing = inFlight(event, { spec: { adopt }, status: { state: 'failed' } });
  expect(storedAfter(importing, { adopt: { id: '8' } }), 'the next one').toBe('none');
  expect(storedAfter(importing, { ...orphan })).toBe('Orphan');
  const taken = readyResource({ spec: { adopt }, status: { event: importing.status?.event } });
  expect(storedAfter(taken, { tags: ['a'] }), 'once it was found').toBe('Orphan');
});

it('writes no version of the type with other options of what is in flight', () => {
  const options = { management: 'observed' } as const;
  const versionOf = (existing: Resource) => {
    const plan = planApply(existing, wanting({ options }), 'default-x');
    return plan.do === 'write' ? withVersion(plan, existing, 2).spec.typeVersion : plan.do;
  };
  expect(versionOf(inFlight())).toBeUndefined();
  expect(versionOf(aResource()), 'as kubectl applies it').toBeUndefined();
  expect(versionOf(made)).toBe(2);
});

it('is an import until the object was found', () => {
  const all = { pending, failed, imported, made };
  const waiting = Object.entries(all).filter(([, each]) => isPendingImport(each));
  expect(waiting.map(([name]) => name)).toEqual(['pending', 'failed']);
});
