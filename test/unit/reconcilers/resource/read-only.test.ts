// Resources whose objects are only observed get no event, whatever is done to them.
import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { resolveReferences } from '../../../../src/domain/references/references.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { isTakenOver } from '../../../../src/reconcilers/resource/read-only.ts';
import { observedOnly } from '../../../../src/reconcilers/resource/status/status.ts';
import { isReadOnly } from '../../../../src/store/resources/options.ts';
import {
  aResource,
  aStatus,
  contentOfResource,
  inFlight,
  now,
  observing,
  readyResource,
} from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  changed,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const observed = { management: 'Observed' } as const;
const readOnly = (shape?: ObservedShape) => aReadOnlySubject(shape).resource;
const foundStatus = { state: 'ready', reason: 'Found', appliedConfig: { name: 'orders' } } as const;
const deletionTimestamp = now.toISOString();
const reference = `\${a/b/c.outputs.id}`;
const unresolved = resolveReferences({ id: reference }, () => undefined);

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly changes?: Partial<Observed>;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'is accepted when it is new': {
    reason: 'Nothing is claimed; observations decide about its state from then on.',
    resource: aResource({ spec: observed }),
    want: { do: 'acceptReadOnly' },
  },
  'is accepted without a finalizer': {
    reason: 'Nothing outside belongs to it.',
    resource: aResource({ spec: observed, metadata: { finalizers: [] } }),
    want: { do: 'acceptReadOnly' },
  },
  'is accepted again with another content': {
    reason: 'It is another object.',
    resource: readOnly({ status: { ...foundStatus, content: 'before' } }),
    want: { do: 'acceptReadOnly' },
  },
  'is accepted after it was managed': {
    reason: 'Its object stays, and only its outputs are read.',
    resource: readyResource({ spec: observed }),
    want: { do: 'acceptReadOnly' },
  },
  'is refused with an integer that is rounded': {
    reason: 'The provider would be asked about another object.',
    resource: aResource({ spec: { ...observed, adopt: { id: 9_007_199_254_740_992 } } }),
    want: { do: 'explain', reason: 'InvalidConfig', stalled: true },
  },
  'is accepted after it waited for something': {
    reason: 'The cause is gone.',
    resource: readOnly({ status: { reason: 'DependenciesNotReady' } }),
    want: { do: 'acceptReadOnly' },
  },
  'is left alone before the first answer': {
    reason: 'Accepting it again would begin its observations anew.',
    resource: readOnly(),
    want: { do: 'nothing' },
  },
  'is left alone when it was found': {
    reason: 'Nothing is to be done.',
    resource: readOnly({ status: foundStatus }),
    want: { do: 'nothing' },
  },
  'is left alone when it was not found': {
    reason: 'Nothing is created.',
    resource: readOnly({ status: { reason: 'NotFound' } }),
    want: { do: 'nothing' },
  },
  'is left alone when it is drafted': {
    reason: 'Drafts are stored only.',
    resource: aResource({ spec: { ...observed, lifecycle: 'Draft' } }),
    want: { do: 'explain', reason: 'Draft' },
  },
  'ends a retry of the event before it': {
    reason: 'Nothing is sent again, and its users would wait for the retry.',
    resource: readOnly({ status: foundStatus }),
    changes: { requeue: 1 },
    want: { do: 'acceptReadOnly' },
  },
  'ends a replacement that kubectl requests': {
    reason: 'It would delete the object once it is managed again.',
    resource: readOnly({ spec: { replace: 1 }, status: { ...foundStatus, appliedConfig: {} } }),
    want: { do: 'acceptReadOnly' },
  },
  'shows that another field was seen': {
    reason: 'kstatus waits for the generation.',
    resource: readOnly({ metadata: { generation: 2 }, status: foundStatus }),
    want: { do: 'explain', reason: 'Found' },
  },
  'waits for its dependencies': {
    reason: 'What identifies the object may be their outputs.',
    resource: aResource({ spec: observed }),
    changes: { unready: [{ name: 'a/b/c', is: 'coming' }] },
    want: { do: 'explain', reason: 'DependenciesNotReady' },
  },
  'waits for a provider that observes': {
    reason: 'Nobody else could answer.',
    resource: aResource({ spec: observed }),
    changes: { observe: false },
    want: {
      ...{ do: 'explain', reason: 'NotObservable', stalled: true },
      message: expect.stringMatching(/or set spec\.management to Managed$/),
    },
  },
  'waits while the organization is suspended': {
    reason: 'Nothing of it is sent.',
    resource: aResource({ spec: observed }),
    changes: { suspended: true },
    want: { do: 'explain', reason: 'Suspended' },
  },
  'stays ready while the organization is suspended': {
    reason:
      'As what is managed: its users would wait, and all would be observed at once afterwards.',
    resource: readOnly({ status: foundStatus }),
    changes: { suspended: true },
    want: { do: 'nothing' },
  },
  'stays ready while a dependency is updated': {
    reason: 'The outputs that identify its object are still there.',
    resource: readOnly({ status: foundStatus }),
    changes: { unready: [{ name: 'a/b/c', is: 'coming' }] },
    want: { do: 'nothing' },
  },
  'stays ready while its type is not registered': {
    reason: 'Nothing is known to be wrong.',
    resource: readOnly({ status: foundStatus }),
    changes: { typeRegistered: false, observe: undefined },
    want: { do: 'nothing' },
  },
  'does not stay ready when the provider stops to observe': {
    reason: 'Nobody sees any more what becomes of it.',
    resource: readOnly({ status: foundStatus }),
    changes: { observe: false },
    want: { do: 'explain', reason: 'NotObservable' },
  },
  'does not stay ready without the outputs that identify it': {
    reason: 'The provider could not be asked.',
    resource: readOnly({ status: foundStatus }),
    changes: { unready: [{ name: 'a/b/c', is: 'coming' }], resolution: unresolved },
    want: { do: 'explain', reason: 'DependenciesNotReady' },
  },
  'does not stay ready when the output that identifies it is gone': {
    reason: 'The provider would be asked about the text of the reference.',
    resource: readOnly({ status: foundStatus }),
    changes: { resolution: unresolved },
    want: {
      ...{ do: 'explain', reason: 'UnknownOutput', stalled: true },
      message: expect.stringContaining('id'),
    },
  },
  'is accepted again when such an output changed': {
    reason: 'It is another object.',
    resource: readOnly({ status: { ...foundStatus, references: 'before' } }),
    changes: { resolution: { config: {}, hash: 'now', unresolved: [] } },
    want: { do: 'acceptReadOnly' },
  },
  'stays ready while what changed such an output goes on': {
    reason: 'It may change again.',
    resource: readOnly({ status: { ...foundStatus, references: 'before' } }),
    changes: {
      resolution: { config: {}, hash: 'now', unresolved: [] },
      unready: [{ name: 'a/b/c', is: 'coming' }],
    },
    want: { do: 'nothing' },
  },
  'ends the event that is in flight': {
    reason: 'What was begun must be recorded.',
    resource: { ...inFlight(), spec: { ...inFlight().spec, ...observed } },
    changes: {
      unrecorded: { answer: { kind: 'succeeded', outputs: {} }, config: {} },
    },
    want: { do: 'recordSuccess' },
  },
  'releases its record when it is deleted': {
    reason: 'The object was never Fairlead’s to delete.',
    resource: readOnly({ status: foundStatus, metadata: { deletionTimestamp } }),
    want: { do: 'release' },
  },
  'leaves a receipt when it is deleted, if Fairlead made the object': {
    reason: 'The object stays, and somebody should know.',
    resource: readyResource({ spec: observed, metadata: { deletionTimestamp } }),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'begins with an UPDATE when it is managed from now on': {
    reason: 'The object exists; what was observed is its previous config.',
    resource: readyResource({ status: { ...foundStatus, ...observed } }),
    want: { do: 'claim', event: { type: 'UPDATE' } },
  },
  'begins with a CREATE when it is managed from now on, and there was nothing': {
    reason: 'Somebody decided to have one.',
    resource: {
      ...aResource(),
      status: aStatus({ ...observed, reason: 'NotFound', content: contentOfResource(aResource()) }),
    },
    want: { do: 'claim', event: { type: 'CREATE' } },
  },
};

it.each(Object.entries(cases))('what is only observed %s', (_name, given) => {
  const { reason, resource, changes, want } = given;
  const world = observing(resource, { observe: true, ...changes });
  expect(decide(world, now, defaultRetryPolicy), reason).toMatchObject(want);
});

it('is what the spec says, and taken over when the status still says otherwise', () => {
  const all = [
    aResource(),
    readOnly({ status: foundStatus }),
    readyResource({ status: observed }),
    readyResource({ spec: observed }),
  ];
  expect(all.map(({ spec }) => isReadOnly(spec))).toEqual([false, true, false, true]);
  expect(all.map(isTakenOver)).toEqual([false, false, true, false]);
});

it('has a status that nothing was observed yet, without what belongs to events', () => {
  const corrections = { count: 1, at: now.toISOString(), generation: 1 };
  const before = readyResource({
    spec: observed,
    status: { drift: changed, corrections, error: 'no' },
  });
  const status = observedOnly(before, { content: 'content', requeue: undefined }, now);
  expect(status).toMatchObject({
    ...{ state: 'pending', reason: 'Observing', management: 'Observed', content: 'content' },
    outputs: { url: 'x' },
  });
  for (const field of ['drift', 'corrections', 'error']) expect(status).not.toHaveProperty(field);
  expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Reconciling']);
});
