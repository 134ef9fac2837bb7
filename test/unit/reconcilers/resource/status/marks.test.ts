// Every request and every mark in a resource ends: from whatever state, in a world that does not change, passes come to rest.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../../src/crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import type { Answer } from '../../../../../src/events/protocol.ts';
import { isTakenOver } from '../../../../../src/reconcilers/resource/read-only.ts';
import type { Decision } from '../../../../../src/reconcilers/resource/situation.ts';
import { annotation } from '../../../../../src/store/kinds.ts';
import { isReadOnly } from '../../../../../src/store/resources/options.ts';
import {
  isReplacementDue,
  requeueAsked,
  requeueMark,
} from '../../../../../src/store/resources/state.ts';
import { found, notThere } from '../../../../support/fixtures/observation/observed-subjects.ts';
import {
  type ResourceWalk,
  resourceWalk,
  type Surroundings,
} from '../../../../support/fixtures/resource-walk.ts';

const failed = { kind: 'failed', code: 'NO', message: 'No', terminal: false } as const;
const refused = { ...failed, terminal: true };
const answers: readonly Answer[] = [
  { kind: 'succeeded', outputs: { id: 'x' } },
  refused,
  failed,
  { ...failed, retryAfterMs: 5_000, retryScope: 'resource' },
  { ...failed, code: 'clock_skew' },
  { kind: 'later', retryAfterMs: 1_000, context: { task: 't-1' } },
  found({ zone: 'a' }, { id: 'x' }),
  notThere,
];

type Spec = Partial<Resource['spec']>;
type Config = Resource['spec']['config'];
type Do = (walk: ResourceWalk, resource: Resource) => void;

/** Content stays as it is while an event is in flight: the API server refuses every other one. */
const content =
  (change: (spec: Resource['spec']) => Spec): Do =>
  (walk, { spec, status }) => {
    const isInFlight = status?.state === 'pending' || status?.state === 'processing';
    if (isInFlight && status.management !== 'Observed') return;
    walk.write({ spec: { ...spec, ...change(spec) } });
  };
const option =
  (change: Spec): Do =>
  (walk, { spec }) =>
    void walk.write({ spec: { ...spec, ...change } });
const marked =
  (name: string, value: (resource: Resource) => string | undefined): Do =>
  (walk, resource) => {
    const text = value(resource);
    const { metadata } = resource;
    if (text === undefined) return;
    walk.write({
      metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: text } },
    });
  };
const around =
  (change: Partial<Surroundings>): Do =>
  (walk) =>
    void Object.assign(walk.around, change);

const doings: Readonly<Record<string, Do>> = {
  'another size': content(({ config }) => ({
    config: {
      ...config,
      size: Number((config as { size?: number }).size ?? 0) + 1,
    } as Config,
  })),
  'another zone': content(({ config }) => ({
    config: {
      ...config,
      zone: (config as { zone?: string }).zone === 'a' ? 'b' : 'a',
    } as Config,
  })),
  'a retry by the counter': content(({ retry = 0 }) => ({ retry: retry + 1 })),
  'a replacement': content(({ protected: isProtected, replace = 0 }) =>
    isProtected === true ? {} : { replace: replace + 1 },
  ),
  'another adopt': content(({ adopt }) => ({
    adopt: { id: adopt === undefined ? 'i-1' : 'i-2' } as Config,
  })),
  'only observed': option({ management: 'Observed' }),
  managed: option({ management: 'Managed' }),
  paused: option({ paused: true }),
  'not paused': option({ paused: false }),
  protected: option({ protected: true }),
  'not protected': option({ protected: false }),
  'a retry of the dead letter': marked(annotation.requeue, requeueMark),
  'a dismissal of the dead letter': marked(annotation.dismissed, (resource) => {
    const { event } = resource.status ?? {};
    return event && `${event.id}/${event.requeued ?? 0}`;
  }),
  'without its finalizer': (walk, { metadata }) => {
    const isLeaving = metadata.deletionTimestamp !== undefined;
    if (!isLeaving) walk.write({ metadata: { ...metadata, finalizers: [] } });
  },
  'the mark of force': marked(annotation.forceDeletion, () => 'true'),
  'the mark of an orphan': marked(annotation.orphanDeletion, () => 'true'),
  deleted: (walk, { metadata }) => {
    if (metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = walk.time.clock.now().toISOString();
    walk.write({ metadata: { ...metadata, deletionTimestamp } });
  },
  expiring: (walk, { spec }) => {
    if (spec.protected === true) return;
    const expiresAt = new Date(walk.time.clock.now().getTime() + 600_000).toISOString();
    walk.write({ spec: { ...spec, expiresAt } });
  },
  'found by an observation': (walk, resource) => {
    if (isReadOnlyNow(resource)) walk.observe(true);
  },
  'not found by an observation': (walk, resource) => {
    if (isReadOnlyNow(resource)) walk.observe(false);
  },
  suspended: around({ suspended: true }),
  'not suspended': around({ suspended: false }),
  'without a provider': around({ provider: false }),
  'with a provider': around({ provider: true }),
  'without a type': around({ typeRegistered: false }),
  'with a type': around({ typeRegistered: true }),
  'not observable': around({ observe: false }),
  observable: around({ observe: true }),
  'used by others': around({ users: true }),
  'used by nobody': around({ users: false }),
  'what it uses is to be replaced': around({ usedIsToReplace: true }),
  'what it uses is ready': around({ usedIsToReplace: false }),
  'other outputs': (walk) => {
    walk.around.references += '1';
  },
  'a second later': (walk) => walk.time.pass(1_000),
  'an hour later': (walk) => walk.time.pass(3_600_000),
};

function isReadOnlyNow({ spec, status }: Resource): boolean {
  return spec.management === 'Observed' && status?.management === 'Observed';
}

const maxSteps = 20;
const decided = new Set<string>();
const all: Readonly<Record<Decision['do'], true>> = {
  ...{ nothing: true, wait: true, explain: true, refuse: true, protect: true, claim: true },
  ...{ send: true, recordSuccess: true, recordImport: true, acceptReadOnly: true },
  ...{
    createAnew: true,
    forgetOld: true,
    deferOperation: true,
    scheduleRetry: true,
    hold: true,
    fail: true,
  },
  ...{ giveUpCancellation: true, expire: true, runAgain: true },
  ...{ release: true, abandon: true },
};

/** Runs passes until one writes nothing and sends nothing. */
async function rest(walk: ResourceWalk): Promise<void> {
  const done: string[] = [];
  let hasFailed = false;
  while (done.length < maxSteps) {
    const step = await walk.step();
    if (step === undefined) return;
    const { decision, writes, resource } = step;
    done.push(decision.do);
    decided.add(decision.do);
    if (hasFailed) expect(writes, `after a failure: ${done.join(', ')}`).toBe(0);
    hasFailed = decision.do === 'fail' && isOver(resource, walk.resource);
    if (writes > 0 || decision.do === 'send') continue;
    if (decision.do === 'nothing') expect(openMarks(resource)).toEqual([]);
    return;
  }
  throw new Error(`No rest after ${done.join(', ')}`);
}

/** What fails is what is wanted: nothing else is to be done instead. */
function isOver({ status: before }: Resource, resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  const { metadata, status } = resource;
  const isWanted = before?.event?.content === status?.content && !isReadOnly(resource.spec);
  const isKept = metadata.finalizers?.length === 1 && metadata.deletionTimestamp === undefined;
  return isWanted && isKept;
}

function openMarks(resource: Resource): readonly string[] {
  if (resource.metadata.deletionTimestamp !== undefined) return [];
  const marks = {
    replacement: isReplacementDue(resource),
    'take-over': isTakenOver(resource),
    retry: requeueAsked(resource) !== undefined,
  };
  return Object.entries(marks).flatMap(([name, isOpen]) => (isOpen ? [name] : []));
}

/** Each is followed by others: what leads to the marks is too rare by chance. The first is done before the first pass. */
const beginnings: readonly (readonly string[])[] = [
  [],
  ['another adopt'],
  ['a second later', 'deleted'],
  ['only observed', 'found by an observation', 'managed'],
  ['only observed', 'not found by an observation', 'managed'],
  ['a second later', 'another zone', 'a replacement'],
  ['a second later', 'what it uses is to be replaced', 'a replacement', 'what it uses is ready'],
  ['a second later', 'another zone', 'only observed', 'managed'],
  ['another size', 'paused', 'a retry of the dead letter', 'only observed'],
];

it('passes come to rest, and a failure ends what was asked for', async () => {
  const walks = fc.tuple(
    fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 6 }),
    fc.constantFrom(...beginnings),
    fc.array(fc.constantFrom(...Object.keys(doings)), { maxLength: 12 }),
  );
  const walked = fc.asyncProperty(walks, async ([given, beginning, others]) => {
    const walk = resourceWalk(given);
    for (const name of [...beginning, ...others]) {
      if (walk.resource === undefined) return;
      doings[name]?.(walk, walk.resource);
      await rest(walk);
    }
  });
  const later: Answer = { kind: 'later', retryAfterMs: 1_000 };
  const cancelled = [
    [later, refused],
    ['a second later', 'deleted', 'a second later'],
    [],
  ] as const;
  const examples = [[cancelled]] as unknown as [[Answer[], string[], string[]]][];
  await fc.assert(walked, { seed: 20_261_128, numRuns: 600, examples });
  const missing = Object.keys(all).filter((each) => !decided.has(each));
  expect(missing, 'decisions that no walk came to').toEqual([]);
}, 60_000);

type Field = 'mark' | 'content' | 'fact' | 'of another kind';
type Fields<Of> = Readonly<Record<keyof Of, Field>>;

const ofSpec: Fields<Required<Resource['spec']>> = {
  ...{ provider: 'fact', resource: 'fact', name: 'fact', project: 'fact', tags: 'fact' },
  ...{ config: 'content', dependencies: 'content', lifecycle: 'content', typeVersion: 'content' },
  ...{ retry: 'content', adopt: 'mark', replace: 'mark', protected: 'fact', paused: 'fact' },
  ...{
    expiresAt: 'fact',
    deletionPolicy: 'fact',
    observe: 'fact',
    management: 'fact',
    set: 'fact',
  },
};
const ofStatus: Fields<Required<ResourceStatus>> = {
  ...{ state: 'fact', reason: 'fact', observedGeneration: 'fact', content: 'fact', error: 'fact' },
  ...{ outputs: 'fact', outputsTypeVersion: 'fact', outputsSecrets: 'fact', updatedAt: 'fact' },
  ...{ appliedConfig: 'fact', appliedTypeVersion: 'fact', appliedSecrets: 'fact' },
  ...{ receivedSecrets: 'fact', providerVersion: 'fact', references: 'fact', event: 'fact' },
  ...{ replaced: 'fact', observation: 'fact', conditions: 'fact', management: 'mark' },
  ...{ drift: 'mark', corrections: 'mark', identity: 'fact' },
};
const ofEvent: Fields<Required<ClaimedEvent>> = {
  ...{ id: 'fact', type: 'fact', generation: 'fact', content: 'fact', declared: 'fact' },
  ...{ typeVersion: 'fact', attempt: 'fact', sequence: 'fact', startedAt: 'fact' },
  ...{ requeued: 'fact', errors: 'fact', progress: 'fact', begunAt: 'fact', replacement: 'mark' },
  ...{ createAttempted: 'mark', cancellation: 'mark', context: 'mark', acceptedAt: 'mark' },
  ...{ nextAttemptAt: 'mark', hold: 'mark', skewedAt: 'mark', crash: 'mark' },
};
const ofAnnotations: Fields<typeof annotation> = {
  ...{ updatedAt: 'fact', appliedBy: 'fact', appliedByName: 'fact', revision: 'fact' },
  ...{ traceparent: 'fact', requeue: 'mark', dismissed: 'mark' },
  ...{ forceDeletion: 'mark', orphanDeletion: 'mark', observe: 'mark' },
  ...{ createdVersion: 'of another kind', issuer: 'of another kind', exists: 'of another kind' },
  ...{ organizationId: 'of another kind', request: 'of another kind', going: 'of another kind' },
  ...{ manifest: 'of another kind', incompatible: 'of another kind' },
  ...{ shards: 'of another kind', eventKey: 'of another kind' },
  ...{ requestKey: 'of another kind', withdrawn: 'of another kind' },
  ...{ artifactClaim: 'of another kind' },
};

it('each mark has a row in the table of decisions, and nothing else', () => {
  const marksIn = (fields: Readonly<Record<string, Field>>, shown: (name: string) => string) =>
    Object.keys(fields).flatMap((name) => (fields[name] === 'mark' ? [shown(name)] : []));
  const annotations: Readonly<Record<string, string>> = annotation;
  const marks = [
    ...marksIn(ofSpec, (name) => `spec.${name}`),
    ...marksIn(ofStatus, (name) => `status.${name}`),
    ...marksIn(ofEvent, (name) => `event.${name}`),
    ...marksIn(ofAnnotations, (name) => (annotations[name] ?? '').replace('fairlead.dev/', '')),
  ];
  const page = readFileSync(new URL('../../../../../docs/decisions/marks.md', import.meta.url));
  const cells = page
    .toString()
    .split('\n')
    .map((line) => line.split('|')[1] ?? '');
  const rows = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(rows.toSorted()).toEqual(marks.toSorted());
});
