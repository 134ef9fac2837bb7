import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { type StoredState, storedStates } from '../../../src/domain/lifecycle.ts';
import { createDeadLetterStatistics } from '../../../src/metrics/dead-letter-statistics.ts';
import { createResourceStates } from '../../../src/metrics/resource-states.ts';
import { type DeadLetterObject, toConfigMap } from '../../../src/store/dead-letters/object.ts';
import { annotation, label } from '../../../src/store/kinds.ts';
import { requeueMark, resourceState } from '../../../src/store/resources/state.ts';
import {
  aResource,
  inFlight,
  now,
  readyResource,
  secondsLater,
} from '../../support/fixtures/builders.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';

const acme = 'fl-acme-0123456789ab';
const deletionTimestamp = '2026-01-01T00:00:00Z';
const eventId = (n: number) => `evt-${String(n).padStart(32, '0')}`;

const inState: Readonly<Record<StoredState, Resource>> = {
  draft: aResource({ spec: { lifecycle: 'Draft' } }),
  pending: aResource(),
  processing: inFlight(),
  ready: readyResource(),
  failed: readyResource({ status: { state: 'failed', reason: 'ProviderFailed' } }),
  deleting: readyResource({ metadata: { deletionTimestamp } }),
};

function named(resource: Resource, name: string, namespace: string): Resource {
  return { ...resource, metadata: { ...resource.metadata, name, namespace } };
}

it('counts every live resource in exactly one state, after any changes', () => {
  const change = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    namespace: fc.constantFrom(acme, 'fl-globex'),
    state: fc.option(fc.constantFrom(...storedStates), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.nat(10), (changes, early) => {
      const resources = objectCache<Resource>();
      const put = ({ name, namespace, state }: (typeof changes)[number]) =>
        state === undefined
          ? resources.remove(`${namespace}/${name}`)
          : resources.put(named(inState[state], name, namespace));
      changes.slice(0, early).forEach(put);
      const resourceStates = createResourceStates(resources);
      changes.slice(early).forEach(put);
      for (const namespace of [acme, 'fl-globex']) {
        const live = [...resources.objects.values()].filter(
          ({ metadata }) => metadata.namespace === namespace,
        );
        for (const state of storedStates) {
          const want = live.filter((each) => resourceState(each) === state).length;
          expect(resourceStates.count(namespace, state)).toBe(want);
        }
        const sum = storedStates.reduce(
          (total, state) => total + resourceStates.count(namespace, state),
          0,
        );
        expect(sum).toBe(live.length);
      }
    }),
    { numRuns: 50 },
  );
});

function failed(n: number, shape: Parameters<typeof inFlight>[1] = {}): Resource {
  const metadata = { name: `crate-${n}`, uid: `uid-${n}`, ...shape.metadata };
  const status = { state: 'failed', reason: 'ProviderFailed', ...shape.status } as const;
  return inFlight({ id: eventId(n) }, { ...shape, metadata, status });
}

interface DeadLetterShape {
  readonly provider?: string;
  readonly errorCode?: string;
  readonly failedAt?: Date;
  readonly marked?: boolean;
}

function deadLetter(
  n: number,
  { marked = false, ...shape }: DeadLetterShape = {},
): DeadLetterObject {
  const object = toConfigMap({
    eventId: eventId(n),
    eventType: 'CREATE',
    organizationId: 'acme',
    projectId: 'default-0123456789ab',
    provider: 'postgres',
    resourceType: 'database',
    resourceName: 'orders',
    errorMessage: 'No',
    errorCode: 'REFUSED',
    attemptCount: 5,
    failedAt: now,
    payload: {},
    resource: { name: `crate-${n}`, namespace: acme, uid: `uid-${n}` },
    generation: 1,
    ...shape,
  });
  const labels = { ...object.metadata.labels, ...(marked && { [label.superseded]: 'true' }) };
  return {
    ...object,
    metadata: { ...object.metadata, labels, uid: `l-${n}`, resourceVersion: '1' },
  };
}

function requeued(resource: Resource): Resource {
  const mark = { [annotation.requeue]: requeueMark(resource) ?? '' };
  return { ...resource, metadata: { ...resource.metadata, annotations: mark } };
}

/** @param begun the number of its retries when its letter was deleted */
function dismissed(resource: Resource, begun = 0): Resource {
  const { event } = resource.status ?? {};
  const mark = { [annotation.dismissed]: `${event?.id}/${begun}` };
  return { ...resource, metadata: { ...resource.metadata, annotations: mark } };
}

interface Case {
  readonly resource?: Resource;
  readonly deadLetter?: DeadLetterObject;
  readonly failedWithoutDeadLetter?: number;
  readonly deadLettersWithoutFailure?: number;
  readonly superseded?: boolean;
}

const leaving = failed(1, {
  metadata: { deletionTimestamp },
  status: { state: 'processing', reason: 'DeleteFailed' },
});

const cases: Readonly<Record<string, Case>> = {
  'a failure with its letter': {
    resource: failed(1),
    deadLetter: deadLetter(1),
    superseded: false,
  },
  'a failure without a letter': { resource: failed(1), failedWithoutDeadLetter: 1 },
  'a failure whose letter was deleted with kubectl': { resource: dismissed(failed(1)) },
  'a dismissed failure, before its letter is deleted': {
    resource: dismissed(failed(1)),
    deadLetter: deadLetter(1),
    superseded: false,
  },
  'a new failure after another one was dismissed': {
    resource: {
      ...failed(2),
      metadata: { ...dismissed(failed(1)).metadata, name: 'crate-2' },
    },
    failedWithoutDeadLetter: 1,
  },
  'a failure of a retry after the one before was dismissed': {
    resource: dismissed(
      {
        ...failed(1),
        status: { ...failed(1).status, event: { ...failed(1).status?.event, requeued: 1 } },
      } as Resource,
      0,
    ),
    failedWithoutDeadLetter: 1,
  },
  'a failure with the letter of another event': {
    resource: failed(1),
    deadLetter: deadLetter(2),
    failedWithoutDeadLetter: 1,
    deadLettersWithoutFailure: 1,
    superseded: true,
  },
  'a change of an immutable field, which was refused before any event': {
    resource: failed(1, { status: { reason: 'ImmutableField' } }),
  },
  'a failure that is being retried': { resource: requeued(failed(1)) },
  'a failure whose config changed since': {
    resource: { ...failed(1), spec: { ...failed(1).spec, config: { name: 'other' } } },
  },
  'a failed create in deletion': {
    resource: failed(1, { metadata: { deletionTimestamp } }),
  },
  'a failed deletion': {
    resource: {
      ...leaving,
      status: { ...leaving.status, event: { ...leaving.status?.event, type: 'DELETE' } },
    } as Resource,
    failedWithoutDeadLetter: 1,
  },
  'a ready resource': { resource: readyResource() },
  'a letter without a resource': {
    deadLetter: deadLetter(1),
    deadLettersWithoutFailure: 1,
    superseded: true,
  },
  'a marked letter without a resource': {
    deadLetter: deadLetter(1, { marked: true }),
    superseded: true,
  },
  'a letter whose resource changed since': {
    resource: readyResource(),
    deadLetter: deadLetter(1),
    deadLettersWithoutFailure: 1,
    superseded: true,
  },
  'an object with the label only': {
    deadLetter: { ...deadLetter(1), data: { event_id: eventId(1) } },
  },
};

it.each(Object.entries(cases))('classifies %s', (_what, each) => {
  const resources = objectCache<Resource>();
  const deadLetters = objectCache<DeadLetterObject>();
  const resourceStates = createDeadLetterStatistics({ resources, deadLetters });
  if (each.resource !== undefined) resources.put(each.resource);
  if (each.deadLetter !== undefined) deadLetters.put(each.deadLetter);
  const report = resourceStates.read();
  expect(report.failedWithoutDeadLetter.get(acme) ?? 0).toBe(each.failedWithoutDeadLetter ?? 0);
  expect(report.deadLettersWithoutFailure.get(acme) ?? 0).toBe(each.deadLettersWithoutFailure ?? 0);
  expect(report.groups.map(({ superseded }) => superseded)).toEqual(
    each.superseded === undefined ? [] : [each.superseded],
  );

  for (const key of [...resources.objects.keys()]) resources.remove(key);
  for (const key of [...deadLetters.objects.keys()]) deadLetters.remove(key);
  expect(resourceStates.read()).toEqual(
    createDeadLetterStatistics({ resources, deadLetters }).read(),
  );
});

it('groups letters by provider and reason, with the oldest live one of each provider', () => {
  const resources = objectCache<Resource>();
  const deadLetters = objectCache<DeadLetterObject>();
  for (const n of [1, 2, 3]) resources.put(failed(n));
  deadLetters.put(deadLetter(1, { failedAt: secondsLater(20) }));
  deadLetters.put(deadLetter(2, { failedAt: secondsLater(10) }));
  deadLetters.put(deadLetter(3, { failedAt: secondsLater(30), errorCode: 'TIMEOUT' }));
  deadLetters.put(deadLetter(4, { failedAt: now, marked: true }));
  const { groups, oldest } = createDeadLetterStatistics({ resources, deadLetters }).read();
  const group = { organization: acme, provider: 'postgres' };
  expect(groups).toEqual([
    { ...group, reason: 'REFUSED', superseded: false, count: 2 },
    { ...group, reason: 'TIMEOUT', superseded: false, count: 1 },
    { ...group, reason: 'REFUSED', superseded: true, count: 1 },
  ]);
  expect(oldest).toMatchObject([{ ...group, failedAt: secondsLater(10) }]);
});

it('keeps the fifty most frequent reasons, and counts every letter', () => {
  const resources = objectCache<Resource>();
  const deadLetters = objectCache<DeadLetterObject>();
  for (let n = 0; n < 200; n += 1) {
    deadLetters.put(deadLetter(n, { errorCode: n % 2 === 0 ? 'REFUSED' : `AT_${n}` }));
  }
  const { groups } = createDeadLetterStatistics({ resources, deadLetters }).read();
  expect(groups).toHaveLength(51);
  const count = (reason: string) => groups.find((each) => each.reason === reason)?.count;
  expect([count('REFUSED'), count('other')]).toEqual([100, 51]);
  expect(groups.reduce((sum, each) => sum + each.count, 0)).toBe(200);
});

it('[I7] keeps the names of fifty providers, so that ten thousand of them do not make ten thousand series', () => {
  const resources = objectCache<Resource>();
  const deadLetters = objectCache<DeadLetterObject>();
  const providerOf = (n: number) => (n % 2 === 0 ? 'postgres' : `made-up-${n}`);
  for (let n = 0; n < 1_000; n += 1) {
    const resource = failed(n);
    resources.put({ ...resource, spec: { ...resource.spec, provider: providerOf(n) } });
    deadLetters.put(deadLetter(n, { provider: providerOf(n), errorCode: `AT_${n}` }));
  }
  const { groups, oldest } = createDeadLetterStatistics({ resources, deadLetters }).read();
  const providers = new Set(groups.map(({ provider }) => provider));
  expect(providers.size).toBe(51);
  expect(providers).toContain('postgres');
  expect(oldest).toHaveLength(51);
  expect(groups.length).toBeLessThanOrEqual(51 * 51);
  expect(groups.reduce((sum, each) => sum + each.count, 0)).toBe(1_000);
});
