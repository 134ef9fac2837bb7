// What an apply does to a resource with replace=true, and what it does to one whose replacement has failed.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { WantedResource } from '../../../../src/store/records.ts';
import { planApply } from '../../../../src/store/resources/apply/apply-plan.ts';
import {
  hasReplacementFailed,
  isDeletionEvent,
  isReplacementDue,
  replacementDue,
  resourceRecord,
} from '../../../../src/store/resources/state.ts';
import { aClaim, aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import {
  creatingNew,
  deletingOld,
  failedFor,
  newConfig,
  oldConfig,
  oldOutputs,
  requested,
} from '../../../support/fixtures/replacements.ts';

const tuple = { provider: 'postgres', resource: 'database', name: 'orders' };
const third = { zone: 'c' };
const ready = readyResource({ spec: { config: oldConfig } });
const failed = failedFor('ProviderFailed');

const replacing = (config: JsonObject, more: Partial<WantedResource> = {}): WantedResource => ({
  ...{ tuple, config, lifecycle: 'pending', tags: undefined, projectId: undefined },
  ...{ dependencies: undefined, replace: true },
  ...more,
});
const applying = (config: JsonObject): WantedResource => replacing(config, { replace: false });

const refused = (code: string) => ({ do: 'refuse', error: { code } });
const replaced = (replace: number, config: JsonObject = newConfig) => ({
  do: 'write',
  change: 'replace',
  commits: true,
  spec: { config, replace },
});

interface Case {
  readonly reason: string;
  readonly existing: Resource | undefined;
  readonly wanted: WantedResource;
  readonly want: object;
}

const cases: Readonly<Record<string, Case>> = {
  'none: created': {
    reason: 'There is nothing to replace.',
    existing: undefined,
    wanted: replacing(newConfig),
    want: { do: 'write', change: 'create' },
  },
  'draft: committed': {
    reason: 'It was never sent.',
    existing: aResource({ spec: { lifecycle: 'Draft', config: oldConfig } }),
    wanted: replacing(newConfig),
    want: { do: 'write', change: 'update', spec: expect.not.objectContaining({ replace: 1 }) },
  },
  'failed before its first success: changed': {
    reason: 'What never succeeded may change everything.',
    existing: inFlight({}, { status: failed, spec: { config: oldConfig } }),
    wanted: replacing(newConfig),
    want: { do: 'write', change: 'update' },
  },
  'ready + other content: replaced': {
    reason: 'It was asked for.',
    existing: ready,
    wanted: replacing(newConfig),
    want: replaced(1),
  },
  'ready + other content without the request: changed': {
    reason: 'Nothing is replaced silently.',
    existing: ready,
    wanted: applying(newConfig),
    want: { do: 'write', change: 'update', spec: expect.not.objectContaining({ replace: 1 }) },
  },
  'ready + same content: unchanged': {
    reason: 'A repeated request replaces nothing again.',
    existing: ready,
    wanted: replacing(oldConfig),
    want: { do: 'leave' },
  },
  'ready + other content after kubectl removed the counter: a higher number': {
    reason: 'The number was used, so it would request nothing.',
    existing: readyResource({ spec: { config: oldConfig }, status: { replaced: 4 } }),
    wanted: replacing(newConfig),
    want: replaced(5),
  },
  'failed change + same content: replaced': {
    reason: 'Otherwise it would be a retry of the change.',
    existing: readyResource({ spec: { config: newConfig }, status: failed }),
    wanted: replacing(newConfig),
    want: replaced(1),
  },
  'refused change + same content: replaced': {
    reason: 'The message advises it.',
    existing: readyResource({ spec: { config: newConfig }, status: failedFor('ImmutableField') }),
    wanted: replacing(newConfig),
    want: replaced(1),
  },
  'protected + other content: refused': {
    reason: 'Nothing replaces it.',
    existing: readyResource({ spec: { config: oldConfig, protected: true } }),
    wanted: replacing(newConfig),
    want: refused('resource_protected'),
  },
  'protected + other content that ends the protection: refused': {
    reason: 'The two are requests of their own.',
    existing: readyResource({ spec: { config: oldConfig, protected: true } }),
    wanted: replacing(newConfig, { options: { protected: false } }),
    want: refused('resource_protected'),
  },
  'requested + other content: busy': {
    reason: 'It is pending.',
    existing: requested(),
    wanted: replacing(third),
    want: refused('resource_busy'),
  },
  'old object being deleted + same content: unchanged': {
    reason: 'The response to the request was lost.',
    existing: deletingOld(),
    wanted: replacing(newConfig),
    want: { do: 'leave' },
  },
  'old object being deleted + other content: busy': {
    reason: 'Content stays while its event is in flight.',
    existing: deletingOld(),
    wanted: replacing(third),
    want: refused('resource_busy'),
  },
  'new object being made + same content: unchanged': {
    reason: 'The response to the request was lost.',
    existing: creatingNew(),
    wanted: replacing(newConfig),
    want: { do: 'leave' },
  },
  'first half failed + same content: retried': {
    reason: 'It goes on where it was.',
    existing: deletingOld({ status: failed }),
    wanted: replacing(newConfig),
    want: { do: 'write', change: 'retry', spec: { replace: 1, retry: 1 } },
  },
  'first half failed + same content without the request: retried': {
    reason: 'It was asked for with this content.',
    existing: deletingOld({ status: failed }),
    wanted: applying(newConfig),
    want: { do: 'write', change: 'retry', spec: { replace: 1, retry: 1 } },
  },
  'first half failed + third content: replaced by that': {
    reason: 'It is another request.',
    existing: deletingOld({ status: failed }),
    wanted: replacing(third),
    want: replaced(2, third),
  },
  'first half failed + old content: changed': {
    reason: 'The old object still exists.',
    existing: deletingOld({ status: failed }),
    wanted: applying(oldConfig),
    want: { do: 'write', change: 'update', spec: { replace: 1 } },
  },
  'first half failed, third content refused + that content: replaced by that': {
    reason: 'The replacement that failed was by another content.',
    existing: deletingOld({
      spec: { config: third },
      status: failedFor('ImmutableField'),
      event: { declared: deletingOld().status?.event?.declared ?? '' },
    }),
    wanted: replacing(third),
    want: replaced(2, third),
  },
  'second half failed + same content: retried': {
    reason: 'The old object is gone.',
    existing: creatingNew({ status: failed }),
    wanted: replacing(newConfig),
    want: { do: 'write', change: 'retry' },
  },
  'second half failed + third content: changed': {
    reason: 'There is nothing to replace.',
    existing: creatingNew({ status: failed }),
    wanted: replacing(third),
    want: { do: 'write', change: 'update' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, existing, wanted, want }) => {
  expect(planApply(existing, wanted, 'default-x'), reason).toMatchObject(want);
});

interface Standing {
  readonly resource: Resource;
  readonly isDue: boolean;
  /** The number of the replacement whose DELETE is claimed next. */
  readonly next: number | undefined;
  readonly hasFailed: boolean;
  readonly shown: object;
}

const nothing = { isDue: false, next: undefined, hasFailed: false };

const standings: Readonly<Record<string, Standing>> = {
  'ready, without a request': { resource: ready, ...nothing, shown: { state: 'ready' } },
  requested: {
    resource: requested(),
    ...{ isDue: true, next: 1, hasFailed: false },
    shown: { state: 'pending', reason: 'Queued', outputs: oldOutputs },
  },
  'requested of what never succeeded': {
    resource: aResource({ spec: { replace: 1 } }),
    ...nothing,
    shown: { state: 'pending' },
  },
  'in its first half': {
    resource: deletingOld(),
    ...nothing,
    shown: { state: 'processing', reason: 'Replacing', attempt: 1 },
  },
  'in its second half': {
    resource: creatingNew(),
    ...nothing,
    shown: { state: 'processing', reason: 'Replacing', attempt: 1, outputs: {} },
  },
  'failed in its first half': {
    resource: deletingOld({ status: failed }),
    ...{ isDue: false, next: 1, hasFailed: true },
    shown: { state: 'failed', reason: 'ProviderFailed', outputs: oldOutputs },
  },
  'failed in its first half, and requested again': {
    resource: deletingOld({ status: failed, spec: { replace: 2 } }),
    ...{ isDue: true, next: 2, hasFailed: true },
    shown: { state: 'pending' },
  },
  'failed in its second half': {
    resource: creatingNew({ status: failed }),
    ...nothing,
    shown: { state: 'failed', outputs: {} },
  },
  'requested again of what failed in its second half': {
    resource: creatingNew({ status: failed, spec: { replace: 2 } }),
    ...nothing,
    shown: { state: 'failed' },
  },
};

it.each(Object.entries(standings))(
  'a replacement that is %s',
  (_name, { resource, isDue, next, hasFailed, shown }) => {
    expect(isReplacementDue(resource)).toBe(isDue);
    expect(replacementDue(resource)).toBe(next);
    expect(hasReplacementFailed(resource)).toBe(hasFailed);
    expect(resourceRecord(resource)).toMatchObject(shown);
  },
);

it('has a DELETE that is none of a deletion', () => {
  expect(isDeletionEvent(aClaim({ type: 'DELETE' }))).toBe(true);
  expect(isDeletionEvent(aClaim({ type: 'DELETE', replacement: 1 }))).toBe(false);
  expect(isDeletionEvent(aClaim())).toBe(false);
  expect(isDeletionEvent(undefined)).toBe(false);
});
