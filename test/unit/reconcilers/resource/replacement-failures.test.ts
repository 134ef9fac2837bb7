import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { now, observing } from '../../../support/fixtures/builders.ts';
import {
  creatingNew,
  deletingOld,
  failedFor,
  newConfig,
  oldConfig,
} from '../../../support/fixtures/replacements.ts';

const zone = { changedImmutables: [['zone']] };
const resolution = { config: newConfig, hash: 'new', unresolved: [] };
const context = { operation: 'op-1' };
const failed = failedFor('ProviderFailed');
const asked = (mark: string): Partial<Resource['metadata']> => ({
  annotations: { 'fairlead.dev/requeue': mark },
});
const answer = (given: object) =>
  ({ unrecorded: { answer: given, config: oldConfig } }) as Partial<Observed>;
const success = answer({ kind: 'succeeded', outputs: {} });
const refusal = answer({ kind: 'failed', terminal: true, code: 'NO', message: 'no' });
const deletedAt = (metadata = {}) => ({ deletionTimestamp: now.toISOString(), ...metadata });

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly observed?: Partial<Observed>;
  readonly want: object;
}

const claimsDelete = (event: object = {}) => ({ do: 'claim', event: { type: 'DELETE', ...event } });

const afterFailure: Readonly<Record<string, Case>> = {
  'stays failed after its DELETE failed': {
    reason: 'The dead letter waits for a decision.',
    resource: deletingOld({ status: failed }),
    observed: zone,
    want: { do: 'nothing' },
  },
  'retries the DELETE under its own id': {
    reason: 'It goes on where it was.',
    resource: deletingOld({ status: failed, metadata: asked('evt-old/1') }),
    observed: zone,
    want: claimsDelete({ id: 'evt-old', replacement: 1, requeued: 1 }),
  },
  'retries the CREATE under its own id': {
    reason: 'It goes on where it was.',
    resource: creatingNew({ status: failed, metadata: asked('evt-new/1') }),
    want: { do: 'claim', event: { id: 'evt-new', type: 'CREATE', replacement: 1, requeued: 1 } },
  },
  'claims the DELETE again when the same content is applied': {
    reason: 'An apply of what failed is a retry, and the old object still exists.',
    resource: deletingOld({
      spec: { retry: 1 },
      status: failed,
      event: { declared: deletingOld().status?.event?.declared ?? '', content: 'before the retry' },
    }),
    observed: zone,
    want: claimsDelete({ replacement: 1 }),
  },
  'claims the CREATE again when the same content is applied': {
    reason: 'The record says which half it is.',
    resource: creatingNew({ spec: { retry: 1 }, status: failed, event: { content: 'before' } }),
    want: { do: 'claim', event: { type: 'CREATE', replacement: 1 } },
  },
  'waits with the retry of the DELETE while others use it': {
    reason: 'They may have come since.',
    resource: deletingOld({ status: failed, metadata: asked('evt-old/1') }),
    observed: { ...zone, users: ['a/b/user'] },
    want: { do: 'explain', reason: 'InUse' },
  },
  'claims an UPDATE when the old content is applied': {
    reason: 'The old object exists, and nothing immutable changes.',
    resource: deletingOld({
      spec: { config: oldConfig },
      status: failed,
      event: { content: 'b', declared: 'b' },
    }),
    want: { do: 'claim', event: expect.not.objectContaining({ replacement: 1 }) },
  },
  'refuses another content that changes the field without a request': {
    reason: 'The failed request was for another content.',
    resource: deletingOld({
      spec: { config: { zone: 'c' } },
      status: failed,
      event: { content: 'b', declared: 'b' },
    }),
    observed: zone,
    want: { do: 'refuse' },
  },
  'runs again when an output that the new config uses has changed': {
    reason: 'The output may have caused the failure, and the replacement was asked for.',
    resource: deletingOld({ status: { ...failed, references: 'old' } }),
    observed: { ...zone, resolution },
    want: { do: 'runAgain' },
  },
};

const whileDeleted: Readonly<Record<string, Case>> = {
  'claims a DELETE of its own before the old object is gone': {
    reason: 'Nothing new is to be made.',
    resource: deletingOld({ metadata: deletedAt({ generation: 3 }) }),
    want: claimsDelete({ generation: 3 }),
  },
  'releases when the DELETE of the replacement has succeeded': {
    reason: 'The object is gone.',
    resource: deletingOld({ metadata: deletedAt() }),
    observed: success,
    want: { do: 'release' },
  },
  'hands on the context of a DELETE that takes long': {
    reason: 'The provider is still deleting the same object.',
    resource: deletingOld({ metadata: deletedAt(), event: { context } }),
    want: claimsDelete({ context }),
  },
  'takes over the context with which that DELETE was answered just now': {
    reason: 'Nobody polls the DELETE of the replacement any more.',
    resource: deletingOld({ metadata: deletedAt() }),
    observed: answer({ kind: 'later', retryAfterMs: 5_000, context }),
    want: claimsDelete({ context }),
  },
  'spends no attempts of its own on the DELETE of the replacement': {
    reason: 'It gives way, whatever its answer is.',
    resource: deletingOld({ metadata: deletedAt() }),
    observed: refusal,
    want: claimsDelete(),
  },
  'is claimed also after the DELETE of the replacement has failed': {
    reason: 'That failure is not one of the deletion.',
    resource: deletingOld({ metadata: deletedAt(), status: { ...failed, state: 'deleting' } }),
    want: claimsDelete(),
  },
  'asks the provider once more when it is forced': {
    reason: 'Force is no shortcut while somebody can clean up.',
    resource: deletingOld({ metadata: deletedAt(), event: { attempt: 2 } }),
    observed: { forced: true },
    want: claimsDelete(),
  },
  'leaves the old object when its policy is to orphan it': {
    reason: 'A receipt names it.',
    resource: deletingOld({ metadata: deletedAt(), spec: { deletionPolicy: 'Orphan' } }),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'is abandoned with its namespace when nobody can clean up': {
    reason: 'The namespace takes its pods along.',
    resource: deletingOld({ metadata: deletedAt() }),
    observed: { terminating: true, endpoint: undefined },
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'polls a CREATE that takes long to its end first': {
    reason: 'A DELETE could not find what is being made.',
    resource: creatingNew({
      metadata: deletedAt(),
      event: { acceptedAt: now.toISOString(), context },
      status: { reason: 'InProgress' },
    }),
    want: { do: 'send', event: { id: 'evt-new', context } },
  },
};

const tables = {
  'a replacement that failed': afterFailure,
  'the deletion of a resource that is being replaced': whileDeleted,
};

for (const [name, cases] of Object.entries(tables)) {
  it.each(Object.entries(cases))(`${name} %s`, (_name, { reason, resource, observed, want }) => {
    const decision = decide(observing(resource, observed), now, defaultRetryPolicy);
    expect(decision, reason).toMatchObject(want);
    if (decision.do !== 'claim' || decision.event.requeued !== undefined) return;
    const { id } = resource.status?.event ?? {};
    expect(decision.event.id, 'another event has another id').not.toBe(id);
  });
}
