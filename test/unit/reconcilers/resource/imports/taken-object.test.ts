// Imports of an object that another resource stands for.
import { describe, expect, it } from 'vitest';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { keyFor } from '../../../../../src/kube/api.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import { createUnrecordedAnswers } from '../../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import type { Holder, Rivals } from '../../../../../src/reconcilers/resource/imports/rivals.ts';
import { rivalsOf } from '../../../../../src/reconcilers/resource/imports/rivals.ts';
import type { Observed } from '../../../../../src/reconcilers/resource/observe.ts';
import { contentHashOf } from '../../../../../src/store/resources/content.ts';
import { createIdentityIndex } from '../../../../../src/store/resources/managed-objects/identity-index.ts';
import {
  aClaim,
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';
import { objectCache } from '../../../../support/fixtures/object-cache.ts';
import { found } from '../../../../support/fixtures/observation/observed-subjects.ts';

const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:00:01Z';

const adopt = { id: 'db-1' };
const spec = { adopt } as Partial<Resource['spec']>;
const importing = (event: Partial<ReturnType<typeof aClaim>> = {}) =>
  inFlight({ type: 'OBSERVE', ...event }, { spec });
const reading = aResource({ spec: { ...spec, management: 'Observed' } });
const holder: Holder = {
  name: 'postgres/database/first',
  inSameProject: true,
  isInDeletion: false,
};
const elsewhere = { ...holder, inSameProject: false };
const answer = { answer: found({}), config: {} };

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly rivals: Partial<Rivals>;
  readonly changes?: Partial<Observed>;
  readonly want: object;
}

const taken = {
  do: 'fail',
  failure: {
    code: 'OBJECT_TAKEN',
    reason: 'ObjectTaken',
    message: expect.stringContaining(holder.name),
  },
};
const outputs = { id: 'db-1' } as ResourceStatus['outputs'];
const refused = { do: 'explain', reason: 'ObjectTaken', stalled: true };
const cases: Record<string, Case> = {
  'fails before its event is sent': {
    reason: 'Two resources would change one object, and delete it.',
    resource: importing(),
    rivals: { holder },
    want: taken,
  },
  'fails with an answer that came meanwhile': {
    reason: 'The other one was applied during the delivery.',
    resource: importing(),
    rivals: { holder },
    changes: { unrecorded: answer },
    want: taken,
  },
  'says that the other one is being deleted': {
    reason: 'It stands for the object until it is gone.',
    resource: importing(),
    rivals: { holder: { ...holder, isInDeletion: true } },
    want: { failure: { message: expect.stringContaining('retry when it is gone') } },
  },
  'finds nothing when a resource of another project has it': {
    reason: 'The project must not learn what another one has.',
    resource: importing(),
    rivals: { holder: elsewhere },
    want: {
      do: 'fail',
      failure: {
        ...{ code: 'NOT_FOUND', reason: 'ProviderFailed' },
        message: expect.not.stringContaining(holder.name),
      },
    },
  },
  'is recorded later while another one may be': {
    reason: 'The other one decided before it knew this one, and its write is on the way.',
    resource: importing(),
    rivals: { isContested: true },
    changes: { unrecorded: answer },
    want: { do: 'wait', until: secondsLater(1) },
  },
  'is sent while another one is recorded': {
    reason: 'An OBSERVE changes nothing.',
    resource: importing(),
    rivals: { isContested: true },
    want: { do: 'send' },
  },
  'is recorded when it comes first': {
    reason: 'The others fail.',
    resource: importing(),
    rivals: {},
    changes: { unrecorded: answer },
    want: { do: 'recordImport' },
  },
  'gives way to new content': {
    reason: 'kubectl corrected adopt in flight.',
    resource: importing({ content: 'before' }),
    rivals: { holder },
    want: { do: 'claim' },
  },
  'is not accepted as one that only observes': {
    reason: 'It would show what the other one has.',
    resource: reading,
    rivals: { holder },
    want: { do: 'explain', reason: 'ObjectTaken', stalled: true },
  },
  'observes nothing of another project': {
    reason: 'Equal to an object that does not exist.',
    resource: reading,
    rivals: { holder: elsewhere },
    want: { do: 'explain', reason: 'NotFound', message: 'The object does not exist' },
  },
  'fails with an answer that names the object of another one': {
    reason: 'Its adopt was another name of the object.',
    resource: importing(),
    rivals: { named: { identity: 'i', holder, isContested: true } },
    changes: { unrecorded: answer },
    want: taken,
  },
  'waits for an answer before its own that names the same object': {
    reason: 'No status shows yet who has the object.',
    resource: importing(),
    rivals: { named: { identity: 'i', holder: undefined, isContested: true } },
    changes: { unrecorded: answer },
    want: { do: 'wait', until: secondsLater(1) },
  },
  'is refused after its success when another one comes first': {
    reason: 'Two answers came at once, or the type declares another identity since.',
    resource: readyResource({ spec, status: { outputs } }),
    rivals: { holder },
    want: refused,
  },
};
it.each([
  ['while the other one is known', { holder }],
  ['when the other one, or the identity of the type, is not known any more', {}],
] as const)('a CREATE that found the object of another one leaves it, %s', (_when, rivals) => {
  const failed = readyResource({
    metadata: { deletionTimestamp: early },
    status: { state: 'failed', outputs: undefined, appliedConfig: undefined, identity: 'i' },
  });
  const situation = { observe: true, rivals: { holder: undefined, isContested: false, ...rivals } };
  const decision = decide(observing(failed, situation), now, defaultRetryPolicy);
  expect(decision).toMatchObject({ do: 'abandon', why: 'ObjectTaken' });
});

it.each(Object.entries(cases))(
  'an import %s',
  (_name, { resource, rivals, changes, want, reason }) => {
    const observed = observing(resource, {
      observe: true,
      rivals: { holder: undefined, isContested: false, ...rivals },
      ...changes,
    });
    expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
  },
);

function one(
  name: string,
  { at, more = {}, status }: { at: string; more?: object; status?: Partial<ResourceStatus> },
): Resource {
  const made = aResource({
    spec: { ...spec, name, ...more },
    metadata: { name, uid: name, creationTimestamp: at },
  });
  return status === undefined ? made : ({ ...made, status } as Resource);
}

const first = (more: object = {}) => one('first', { at: early, more });
const second = one('second', { at: late });
const imported = { appliedConfig: {} };
const content = (resource: Resource) => contentHashOf(resource.spec);
const reads = one('second', { at: late, more: { management: 'Observed' } });
const accepted = { management: 'Observed', content: content(reads) } as const;

const rivalries: Record<string, readonly [Resource, Resource, string | undefined]> = {
  'the later one gives way': [second, first(), 'first'],
  'the older one does not': [first(), second, undefined],
  'the older one gives way to one that has the object': [
    first(),
    { ...second, status: imported as ResourceStatus },
    'second',
  ],
  'nobody gives way to a draft': [second, first({ lifecycle: 'Draft' }), undefined],
  'nobody gives way to one of another type': [second, first({ resource: 'role' }), undefined],
  'nobody gives way to one with another adopt': [second, first({ adopt: { id: '2' } }), undefined],
  'one that observes gives way': [reads, first(), 'first'],
  'one that was accepted before does not': [
    { ...reads, status: accepted as ResourceStatus },
    first(),
    undefined,
  ],
  'one that was accepted with another adopt gives way': [
    { ...reads, status: { ...accepted, content: 'other' } as ResourceStatus },
    first(),
    'first',
  ],
  'one that has succeeded does not': [
    { ...second, status: imported as ResourceStatus },
    first(),
    undefined,
  ],
};
it.each(Object.entries(rivalries))(
  'of two with one adopt, %s',
  (_name, [resource, other, want]) => {
    const resources = objectCache<Resource>(resource, other);
    const claimants = createIdentityIndex(resources, { of: () => undefined });
    const answers = { find: () => undefined, before: () => [] };
    const rivals = rivalsOf(resource, content(resource), undefined, {
      ...{ resources, claimants, answers },
    });
    expect(rivals.holder?.name).toBe(want && `postgres/database/${want}`);
  },
);

it('an import is contested while the answer to a later one is being recorded', () => {
  const event = aClaim({ type: 'OBSERVE', id: 'evt-2' });
  const later = { ...second, status: { event } as ResourceStatus };
  const resources = objectCache<Resource>(first(), later);
  const claimants = createIdentityIndex(resources, { of: () => undefined });
  const contested = (asked: string) =>
    rivalsOf(first(), content(first()), undefined, {
      ...{ resources, claimants },
      answers: { find: ({ id }) => (id === asked ? answer : undefined), before: () => [] },
    }).isContested;
  expect([contested('evt-2'), contested('evt-3')]).toEqual([true, false]);
  expect(resources.get(keyFor(later.metadata))).toBe(later);
});

const created = { answer: { kind: 'succeeded', outputs: { id: 'db-1' } }, config: {} } as const;
const contested: Record<string, readonly [Resource, object]> = {
  'a CREATE waits': [inFlight({ type: 'CREATE' }), { do: 'wait', until: secondsLater(1) }],
  'a CREATE of a resource in deletion waits': [
    inFlight({ type: 'CREATE' }, { metadata: { deletionTimestamp: early } }),
    { do: 'wait', until: secondsLater(1) },
  ],
  'a DELETE is recorded': [
    inFlight({ type: 'DELETE' }, { metadata: { deletionTimestamp: early } }),
    { do: 'release' },
  ],
};
it.each(Object.entries(contested))(
  'with an answer before it that names the same object, %s',
  (_name, [resource, want]) => {
    const named = { identity: 'i', holder: undefined, isContested: true };
    const rivals = { holder: undefined, isContested: false, named };
    const observed = observing(resource, { unrecorded: created, rivals });
    expect(decide(observed, now, defaultRetryPolicy)).toMatchObject(want);
  },
);

describe('a CREATE names an object', () => {
  const making = (name: string, at: string) => {
    const event = aClaim({ type: 'CREATE', id: `evt-${name}` });
    const status = { state: 'processing', event } as ResourceStatus;
    return one(name, { at, more: { adopt: undefined }, status });
  };
  const [before, after] = [making('before', late), making('after', early)];
  const byId = { outputs: { id: '/id' }, adopt: { id: '/id' } };
  const other = { answer: { kind: 'succeeded', outputs: { id: 'db-2' } }, config: {} } as const;
  const removed = aResource({ metadata: { name: 'removed' } });
  const ended = { ...before, status: { ...before.status, state: 'ready' } } as Resource;
  const cases: Record<string, readonly [Resource, typeof created | typeof other, boolean]> = {
    'that an answer before names': [before, created, true],
    'and an answer before names another one': [before, other, false],
    'of a resource that is gone': [removed, created, false],
    'that an answer before named, which is recorded': [ended, created, false],
    'of another type': [{ ...before, spec: { ...before.spec, resource: 'role' } }, created, false],
  };
  it.each(Object.entries(cases))('%s', (_name, [first, given, want]) => {
    const resources = objectCache<Resource>(first, after);
    const claimants = createIdentityIndex(resources, { of: () => byId });
    const answers = createUnrecordedAnswers();
    const key = keyFor(before.metadata);
    answers.keep(before.status?.event as never, given, key);
    answers.keep(after.status?.event as never, created, keyFor(after.metadata));
    const deps = { resources, claimants, answers };
    expect(rivalsOf(after, content(after), created, deps).named?.isContested).toBe(want);
    const none = { isContested: false, holder: undefined };
    expect(rivalsOf(before, content(before), given, deps).named).toMatchObject(none);
  });
});
