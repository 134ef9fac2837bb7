// An apply that changes options: permitted in every state but deleting, and nothing follows from it but the change itself.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { WantedOptions } from '../../../../src/domain/resource-options.ts';
import type { WantedResource } from '../../../../src/store/records.ts';
import { type ApplyPlan, planApply } from '../../../../src/store/resources/apply/apply-plan.ts';
import { contentHashOf } from '../../../../src/store/resources/content.ts';
import { resourceState } from '../../../../src/store/resources/state.ts';
import {
  aClaim,
  aResource,
  inFlight,
  now,
  readyResource,
} from '../../../support/fixtures/builders.ts';

const later = '2026-01-01T01:00:00.000Z';

function planOf(existing: Resource | undefined, changes: Partial<WantedResource>): ApplyPlan {
  const tuple = { provider: 'postgres', resource: 'database', name: 'orders' };
  const absent = { tags: undefined, projectId: undefined, dependencies: undefined };
  const content = { config: { name: 'orders' }, lifecycle: 'pending' } as const;
  return planApply(existing, { tuple, ...content, ...absent, ...changes }, 'default-x');
}

const states: Readonly<Record<string, Resource>> = {
  draft: aResource({ spec: { lifecycle: 'Draft' } }),
  'pending, not seen yet': aResource(),
  'pending, waiting': aResource({ status: { reason: 'WaitingForProvider' } }),
  'processing, just claimed': inFlight(),
  'processing, between two attempts': inFlight({ attempt: 3, nextAttemptAt: later }),
  'processing, an operation': inFlight({ acceptedAt: now.toISOString() }),
  ready: readyResource(),
  'failed, with a dead letter': readyResource({
    status: { state: 'failed', reason: 'ProviderFailed', event: aClaim() },
  }),
  'failed, a change of an immutable field': readyResource({
    status: { state: 'failed', reason: 'ImmutableField' },
  }),
};

const options: Readonly<Record<string, readonly [WantedOptions, Partial<Resource['spec']>]>> = {
  protected: [{ protected: true }, { protected: true }],
  expires_at: [{ expiresAt: later }, { expiresAt: later }],
  paused: [{ paused: true }, { paused: true }],
  deletion_policy: [{ deletionPolicy: 'orphan' }, { deletionPolicy: 'Orphan' }],
};

const deleted = (spec: Partial<Resource['spec']> = {}) =>
  readyResource({ spec, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });

describe('a changed option', () => {
  const rows = Object.entries(states).flatMap(([state, existing]) =>
    Object.keys(options).map((name) => ({ state, existing, name })),
  );

  it.each(rows)(
    'is written and nothing else: $name of one that is $state',
    ({ existing, name }) => {
      const [wanted, stored] = options[name] ?? [];
      const lifecycle = resourceState(existing) === 'draft' ? 'draft' : 'pending';
      const plan = planOf(existing, { lifecycle, options: wanted });
      expect(plan).toMatchObject({ do: 'write', change: 'options', commits: false });
      if (plan.do === 'refuse') throw plan.error;
      expect(plan.spec).toEqual({
        ...existing.spec,
        ...{ tags: undefined, dependencies: undefined },
        ...stored,
      });
      expect(contentHashOf(plan.spec), 'no event follows').toBe(contentHashOf(existing.spec));
      expect(resourceState({ ...existing, spec: plan.spec }), 'no retry').toBe(
        resourceState(existing),
      );
    },
  );

  it.each(Object.keys(options))('is refused of one in deletion: %s', (name) => {
    expect(planOf(deleted(), { options: options[name]?.[0] })).toMatchObject({
      do: 'refuse',
      error: { code: 'resource_deleting' },
    });
  });
});

interface Case {
  readonly reason: string;
  readonly existing: Resource | undefined;
  readonly wanted: Partial<WantedResource>;
  readonly want: object;
}

const all = { protected: true, paused: true, deletionPolicy: 'Orphan' } as const;
const failed = { state: 'failed', reason: 'ProviderFailed' } as const;
const onlyOptions = { config: undefined, lifecycle: undefined };

const cases: Readonly<Record<string, Case>> = {
  'resumed in deletion: written': {
    reason: 'Its deletion waits for nothing else, and an expiry leads there without anybody.',
    existing: deleted({ paused: true, deletionPolicy: 'Orphan' }),
    wanted: { options: { paused: false } },
    want: {
      ...{ do: 'write', change: 'options', commits: false },
      spec: expect.not.objectContaining({ paused: true }),
    },
  },
  'protection lifted in deletion: written': {
    reason: 'Its deletion waits until then.',
    existing: deleted({ protected: true, paused: true }),
    wanted: { options: { protected: false } },
    want: { do: 'write', change: 'options', spec: { paused: true } },
  },
  'resumed in deletion with another option: refused': {
    reason: 'Half of an apply is none.',
    existing: deleted({ paused: true }),
    wanted: { options: { paused: false, deletionPolicy: 'orphan' } },
    want: { do: 'refuse', error: { code: 'resource_deleting' } },
  },
  'resumed in deletion with other content: refused': {
    reason: 'No event follows any more but the DELETE.',
    existing: deleted({ paused: true }),
    wanted: { config: { name: 'other' }, options: { paused: false } },
    want: { do: 'refuse', error: { code: 'resource_deleting' } },
  },
  'resumed in deletion with other tags: refused': {
    reason: 'Half of an apply is none.',
    existing: deleted({ paused: true }),
    wanted: { tags: ['blue'], options: { paused: false } },
    want: { do: 'refuse', error: { code: 'resource_deleting' } },
  },
  'the same options in deletion: refused': {
    reason: 'Nothing holds its deletion up.',
    existing: deleted(),
    wanted: { options: { paused: false } },
    want: { do: 'refuse', error: { code: 'resource_deleting' } },
  },
  'a replacement of the same content with other options of what has failed: replaced with them': {
    reason: 'The request names both.',
    existing: readyResource({ status: failed }),
    wanted: { replace: true, options: { deletionPolicy: 'orphan' } },
    want: {
      ...{ do: 'write', change: 'replace', commits: true },
      spec: { deletionPolicy: 'Orphan', replace: 1 },
    },
  },
  'a replacement of the same content with other options of what is ready: the options alone': {
    reason: 'A repeated request replaces nothing again.',
    existing: readyResource(),
    wanted: { replace: true, options: { paused: true } },
    want: { do: 'write', change: 'options', spec: { paused: true } },
  },
  'the same options of what is ready: unchanged': {
    reason: 'A file that nobody changed stays a no-op.',
    existing: readyResource({ spec: all }),
    wanted: { options: { protected: true, paused: true, deletionPolicy: 'orphan' } },
    want: { do: 'leave' },
  },
  'no options of what has all: unchanged': {
    reason: 'Leaving the line out of a file lifts nothing.',
    existing: readyResource({ spec: all }),
    wanted: {},
    want: { do: 'leave' },
  },
  'the defaults of what has none: unchanged': {
    reason: 'A record that is sent back names the defaults.',
    existing: readyResource(),
    wanted: {
      options: { protected: false, expiresAt: null, paused: false, deletionPolicy: 'delete' },
    },
    want: { do: 'leave' },
  },
  'the same time in another form: unchanged': {
    reason: 'kubectl may have stored it with a time zone.',
    existing: readyResource({ spec: { expiresAt: '2026-01-01T02:00:00+01:00' } }),
    wanted: { options: { expiresAt: later } },
    want: { do: 'leave' },
  },
  'no options with other content: kept': {
    reason: 'An apply that omits an option keeps it, whatever else it changes.',
    existing: readyResource({ spec: all }),
    wanted: { config: { name: 'other' } },
    want: { do: 'write', change: 'update', commits: true, spec: all },
  },
  'protection lifted: written': {
    reason: 'An ordinary apply lifts it.',
    existing: readyResource({ spec: { protected: true } }),
    wanted: { options: { protected: false } },
    want: { do: 'write', change: 'options', spec: expect.not.objectContaining(all) },
  },
  'the same options of what has failed: a retry': {
    reason: 'That is what an apply without a change of a failed one asks for.',
    existing: readyResource({ spec: all, status: failed }),
    wanted: { options: { protected: true } },
    want: { do: 'write', change: 'retry', spec: { ...all, retry: 1 } },
  },
  'an update of the options of a draft: a draft': {
    reason: 'It changes nothing else.',
    existing: aResource({ spec: { lifecycle: 'Draft' } }),
    wanted: { ...onlyOptions, options: { protected: true } },
    want: { do: 'write', change: 'options', spec: { lifecycle: 'Draft', protected: true } },
  },
  'an update to the same options of what has failed: unchanged': {
    reason: 'Only an apply retries.',
    existing: readyResource({ spec: all, status: failed }),
    wanted: { ...onlyOptions, options: { protected: true } },
    want: { do: 'leave' },
  },
  'an update that lifts what holds up a deletion: written': {
    reason: 'As by an apply.',
    existing: deleted({ paused: true }),
    wanted: { ...onlyOptions, options: { paused: false } },
    want: { do: 'write', change: 'options', spec: expect.not.objectContaining({ paused: true }) },
  },
  'an update of what does not exist: not found': {
    reason: 'It may have been deleted a moment ago, and nothing creates it without a config.',
    existing: undefined,
    wanted: { ...onlyOptions, options: { paused: true } },
    want: { do: 'refuse', error: { code: 'resource_not_found' } },
  },
  'options with other content in flight: refused': {
    reason: 'Only the options could be written, and half of an apply is none.',
    existing: inFlight(),
    wanted: { config: { name: 'other' }, options: { paused: true } },
    want: { do: 'refuse', error: { code: 'resource_busy' } },
  },
  'options with another version of the type in flight: refused': {
    reason: 'The version belongs to the content.',
    existing: inFlight({}, { spec: { typeVersion: 1 } }),
    wanted: { typeVersion: 2, options: { paused: true } },
    want: { do: 'refuse', error: { code: 'resource_busy' } },
  },
  'options with other tags: both written': {
    reason: 'Neither is content, and the history has the options.',
    existing: readyResource(),
    wanted: { tags: ['blue'], options: { paused: true } },
    want: { do: 'write', change: 'options', spec: { tags: ['blue'], paused: true } },
  },
  'options of a draft that is committed: both written': {
    reason: 'The commitment is checked as any.',
    existing: aResource({ spec: { lifecycle: 'Draft' } }),
    wanted: { options: { protected: true } },
    want: { do: 'write', change: 'update', commits: true, spec: { protected: true } },
  },
  'options of a new resource: stored with it': {
    reason: 'It is protected, or expires, from its first moment on.',
    existing: undefined,
    wanted: { options: { protected: true, deletionPolicy: 'orphan' } },
    want: {
      do: 'write',
      change: 'create',
      spec: { protected: true, deletionPolicy: 'Orphan' },
    },
  },
  'options with the way back to a draft: refused': {
    reason: 'What its provider created would be orphaned.',
    existing: readyResource(),
    wanted: { lifecycle: 'draft', options: { paused: true } },
    want: { do: 'refuse', error: { code: 'resource_committed' } },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, existing, wanted, want }) => {
  expect(planOf(existing, wanted), reason).toMatchObject(want);
});
