import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import type { WantedResource } from '../../../../../src/store/records.ts';
import {
  planApply,
  type WritePlan,
  withVersion,
} from '../../../../../src/store/resources/apply/apply-plan.ts';
import { resourceState } from '../../../../../src/store/resources/state.ts';
import { aResource, inFlight, readyResource } from '../../../../support/fixtures/builders.ts';

const tuple = { provider: 'postgres', resource: 'database', name: 'orders' };
const config = { name: 'orders' };

function wanting(changes: Partial<WantedResource> = {}): WantedResource {
  return {
    tuple,
    config,
    lifecycle: 'pending',
    tags: undefined,
    projectId: undefined,
    dependencies: undefined,
    ...changes,
  };
}

const draft = aResource({ spec: { lifecycle: 'Draft' } });
const pending = aResource();
const processing = inFlight();
const ready = readyResource();
const failed = readyResource({ status: { state: 'failed', reason: 'ProviderFailed' } });
const deleting = readyResource({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
const other = { config: { name: 'other' } };

interface Case {
  readonly reason: string;
  readonly existing: Resource | undefined;
  readonly wanted: WantedResource;
  readonly want: object;
}

const refused = (code: string) => ({ do: 'refuse', error: { code } });

const cases: Readonly<Record<string, Case>> = {
  'none + draft: stored without a check': {
    reason: 'A draft need not be valid.',
    existing: undefined,
    wanted: wanting({ lifecycle: 'draft' }),
    want: {
      do: 'write',
      change: 'create',
      commits: false,
      spec: { lifecycle: 'Draft', project: 'default-x' },
    },
  },
  'none + pending: committed': {
    reason: 'It must pass the checks of type and schema first.',
    existing: undefined,
    wanted: wanting(),
    want: { do: 'write', change: 'create', commits: true, spec: { lifecycle: 'Committed' } },
  },
  'draft + draft with other config: stored': {
    reason: 'A draft can be modified freely.',
    existing: draft,
    wanted: wanting({ lifecycle: 'draft', ...other }),
    want: { do: 'write', change: 'update', commits: false, spec: { config: other.config } },
  },
  'draft + pending: committed': {
    reason: 'The lifecycle changes.',
    existing: draft,
    wanted: wanting(),
    want: { do: 'write', change: 'update', commits: true, spec: { lifecycle: 'Committed' } },
  },
  'ready + same content after its type got a version: unchanged': {
    reason: 'A file that nobody changed stays a no-op.',
    existing: readyResource({ spec: { typeVersion: 1 } }),
    wanted: wanting(),
    want: { do: 'leave' },
  },
  'ready + same content without a version with the first one: unchanged': {
    reason: 'What was stored before its type had versions has the first one.',
    existing: ready,
    wanted: wanting({ typeVersion: 1 }),
    want: { do: 'leave' },
  },
  'ready + same content with another version: committed': {
    reason: 'The provider reads the config otherwise.',
    existing: ready,
    wanted: wanting({ typeVersion: 2 }),
    want: { do: 'write', change: 'update', commits: true, spec: { typeVersion: 2 } },
  },
  'ready + other content: without the version of before': {
    reason: 'A new content has the newest version, which the check of its config finds.',
    existing: readyResource({ spec: { typeVersion: 2 } }),
    wanted: wanting(other),
    want: {
      do: 'write',
      change: 'update',
      spec: expect.not.objectContaining({ typeVersion: expect.anything() }),
      version: { given: undefined },
    },
  },
  'processing + same content with another version: refused': {
    reason: 'Content stays while its event is in flight.',
    existing: inFlight({}, { spec: { typeVersion: 1 } }),
    wanted: wanting({ typeVersion: 2 }),
    want: refused('resource_busy'),
  },
  'failed + same content: the version of before, while the type accepts it': {
    reason: 'A retry is the same event for its provider.',
    existing: readyResource({ spec: { typeVersion: 2 }, status: { state: 'failed' } }),
    wanted: wanting(),
    want: { do: 'write', change: 'retry', spec: { typeVersion: 2 }, version: { kept: 2 } },
  },
  'draft + same draft: unchanged': {
    reason: "A client's retry is safe.",
    existing: draft,
    wanted: wanting({ lifecycle: 'draft' }),
    want: { do: 'leave' },
  },
  'pending + same content: unchanged': {
    reason: "A client's retry is safe.",
    existing: pending,
    wanted: wanting(),
    want: { do: 'leave' },
  },
  'processing + same content: unchanged': {
    reason: "A client's retry is safe.",
    existing: processing,
    wanted: wanting(),
    want: { do: 'leave' },
  },
  'pending + other content: refused': {
    reason: 'Committed for processing; no modifications allowed.',
    existing: pending,
    wanted: wanting(other),
    want: refused('resource_busy'),
  },
  'processing + other content: refused': {
    reason: 'It is being processed and cannot be modified.',
    existing: processing,
    wanted: wanting(other),
    want: refused('resource_busy'),
  },
  'processing + draft: refused': {
    reason: 'The lifecycle is part of the content.',
    existing: processing,
    wanted: wanting({ lifecycle: 'draft' }),
    want: refused('resource_busy'),
  },
  'processing + other tags: stored at once': {
    reason: 'Tags cause no event.',
    existing: processing,
    wanted: wanting({ tags: ['blue'] }),
    want: { do: 'write', change: 'tags', commits: false, spec: { tags: ['blue'] } },
  },
  'ready + other config: committed': {
    reason: 'An update is queued.',
    existing: ready,
    wanted: wanting(other),
    want: { do: 'write', commits: true, spec: { config: other.config } },
  },
  'ready + other dependencies: committed': {
    reason: 'Dependencies are content.',
    existing: ready,
    wanted: wanting({ dependencies: [{ provider: 'a', resource: 'b', name: 'c' }] }),
    want: { do: 'write', commits: true },
  },
  'ready + same config: unchanged': {
    reason: 'Nothing has changed.',
    existing: ready,
    wanted: wanting(),
    want: { do: 'leave' },
  },
  'ready + same config in another key order: unchanged': {
    reason: 'The order of keys is not significant.',
    existing: readyResource({ spec: { config: { a: 1, b: { c: 1, d: 2 } } } }),
    wanted: wanting({ config: { b: { d: 2, c: 1 }, a: 1 } }),
    want: { do: 'leave' },
  },
  'ready + draft: refused': {
    reason: 'It would orphan what the provider created.',
    existing: ready,
    wanted: wanting({ lifecycle: 'draft' }),
    want: refused('resource_committed'),
  },
  'failed + draft: refused': {
    reason: 'It would orphan what the provider may have created.',
    existing: failed,
    wanted: wanting({ lifecycle: 'draft' }),
    want: refused('resource_committed'),
  },
  'failed + same config: retried as a new generation': {
    reason: 'The caller requests a retry.',
    existing: failed,
    wanted: wanting(),
    want: { do: 'write', change: 'retry', commits: true, spec: { retry: 1 } },
  },
  'failed + other config: committed': {
    reason: 'The caller corrected it.',
    existing: failed,
    wanted: wanting(other),
    want: { do: 'write', commits: true, spec: { config: other.config } },
  },
  'deleting + anything: refused': {
    reason: 'A delete is final.',
    existing: deleting,
    wanted: wanting(),
    want: refused('resource_deleting'),
  },
  'deleting in another project: refused by the project': {
    reason: 'Its deletion is said only to those of its project.',
    existing: deleting,
    wanted: wanting({ projectId: 'p2' }),
    want: refused('project_immutable'),
  },
  'another tuple under the same key: refused': {
    reason: 'a_b + c and a + b_c join to the same identifier.',
    existing: aResource({ spec: { provider: 'a', resource: 'b_c', name: 'd' } }),
    wanted: wanting({ tuple: { provider: 'a', resource: 'b', name: 'c_d' } }),
    want: {
      do: 'refuse',
      error: {
        code: 'identity_taken',
        message: 'The identifier of a/b/c_d is already used by a/b_c/d',
      },
    },
  },
  'another tuple under the same key in another project: refused without a name': {
    reason: 'A project token must not learn about other projects.',
    existing: aResource({ spec: { provider: 'a', resource: 'b_c', name: 'd', project: 'p2' } }),
    wanted: wanting({ tuple: { provider: 'a', resource: 'b', name: 'c_d' }, projectId: 'p1' }),
    want: {
      do: 'refuse',
      error: {
        code: 'identity_taken',
        message: 'The identifier of a/b/c_d is already used by a resource of another project',
      },
    },
  },
  'another project: refused': {
    reason: 'A resource cannot change its project.',
    existing: ready,
    wanted: wanting({ projectId: 'p2' }),
    want: refused('project_immutable'),
  },
  'no project on update: kept': {
    reason: 'The default project applies on create only.',
    existing: readyResource({ spec: { project: 'p2' } }),
    wanted: wanting(other),
    want: { do: 'write', spec: { project: 'p2' } },
  },
  'the default project of a resource that leaves it out: the same': {
    reason: 'A manifest may leave it out, and a record has its id.',
    existing: readyResource({ spec: { project: undefined } }),
    wanted: wanting({ projectId: 'default-0123456789ab' }),
    want: { do: 'leave' },
  },
  'another project than the default one that is left out: refused': {
    reason: 'A resource cannot change its project.',
    existing: readyResource({ spec: { project: undefined } }),
    wanted: wanting({ projectId: 'p2' }),
    want: refused('project_immutable'),
  },
  'another config of a resource that leaves out its project: still left out': {
    reason: 'The API server takes no other project than the stored one.',
    existing: readyResource({ spec: { project: undefined } }),
    wanted: wanting(other),
    want: { do: 'write', spec: { project: undefined } },
  },
  'empty tags: cleared': {
    reason: 'null and [] clear, absence keeps.',
    existing: readyResource({ spec: { tags: ['blue'] } }),
    wanted: wanting({ tags: null }),
    want: { do: 'write', change: 'tags', commits: false, spec: { tags: undefined } },
  },
  'no tags: kept': {
    reason: 'null and [] clear, absence keeps.',
    existing: readyResource({ spec: { tags: ['blue'] } }),
    wanted: wanting(),
    want: { do: 'leave' },
  },
  'a dependency on itself: refused': {
    reason: 'It could never become ready.',
    existing: undefined,
    wanted: wanting({ dependencies: [tuple] }),
    want: refused('invalid'),
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, existing, wanted, want }) => {
  expect(planApply(existing, wanted, 'default-x'), reason).toMatchObject(want);
});

it('keeps fields that only kubectl can set', () => {
  const existing = readyResource({ spec: { paused: true, deletionPolicy: 'Orphan' } });
  const plan = planApply(existing, wanting(other), 'default-x');
  expect(plan).toMatchObject({ spec: { paused: true, deletionPolicy: 'Orphan' } });
});

const states: Readonly<Record<string, readonly [Resource, string, string]>> = {
  'an apply that was not reconciled yet': [pending, 'pending', 'The status is behind the spec.'],
  'a status of older content': [
    readyResource({ status: { content: 'older' } }),
    'pending',
    'Ready speaks of what was, not of what is asked for.',
  ],
  'a draft': [draft, 'draft', 'Drafts need no status.'],
  'an event under way': [processing, 'processing', 'It was claimed.'],
  'the same content with another tag': [
    readyResource({ spec: { tags: ['x'] }, metadata: { generation: 2 } }),
    'ready',
    'Tags are no content.',
  ],
  'an object being deleted': [deleting, 'deleting', 'Whatever its status says.'],
};

it.each(Object.entries(states))('reads the state of %s', (_name, [resource, want, reason]) => {
  expect(resourceState(resource), reason).toBe(want);
});

const written = (existing: Resource, changes: Partial<WantedResource>) =>
  planApply(existing, wanting(changes), 'default-x') as WritePlan;

it('writes the version that the check of a config found', () => {
  const plan = withVersion(written(ready, other), ready, 3);
  expect(plan.spec).toMatchObject({ ...other, typeVersion: 3 });
});

it('makes a new event when only the version changes, back to the first', () => {
  const event = { ...ready.status?.event, typeVersion: 2 } as never;
  const second = readyResource({ status: { event } });
  const plan = withVersion(written(second, { typeVersion: 1 }), second, 1);
  expect(plan).toMatchObject({ change: 'update', spec: { typeVersion: 1, retry: 1 } });
});

it('leaves the spec of kubectl without a version when a retry keeps it', () => {
  const plan = withVersion(written(failed, {}), failed, 1);
  expect(plan.spec).not.toHaveProperty('typeVersion');
  expect(withVersion(written(failed, {}), failed, 2).spec).toMatchObject({ typeVersion: 2 });
});
