import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { EventType } from '../../../../src/domain/event.ts';
import { canaryOutcomeOf, hasSucceeded } from '../../../../src/reconcilers/redrive/observe.ts';
import type { DeadLetterState } from '../../../../src/store/dead-letters/state.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import { eventIdOf } from '../../../support/fixtures/dead-letters/dead-letter-builders.ts';

const id = eventIdOf(1);
const failedStatus = { state: 'failed', reason: 'ProviderFailed' } as const;
const failed = inFlight({ id }, { status: failedStatus });
const metadata = { annotations: { [annotation.requeue]: `${id}/1` } };
const asked = inFlight({ id }, { status: failedStatus, metadata });
const ready = readyResource({ status: { event: inFlight({ id }).status?.event } });
const deletionTimestamp = '2026-01-01T00:00:00Z';

const replaced = { id, type: 'DELETE', replacement: 1 } as const;
const deletingOld = inFlight(replaced, { status: { appliedConfig: {} } });

interface Case {
  readonly canaryOutcome: ReturnType<typeof canaryOutcomeOf>;
  readonly resource?: Resource;
  readonly type?: EventType;
  /** The state of its dead letter; absent when it was deleted. */
  readonly state?: DeadLetterState;
  readonly failedAgain?: true;
}

const cases: Record<string, Case> = {
  'missed while its letter is as it was': {
    canaryOutcome: 'missed',
    resource: failed,
    state: 'live',
  },
  'pending between mark and claim': { canaryOutcome: 'pending', resource: asked },
  'pending when the crash came between mark and letter': {
    canaryOutcome: 'pending',
    resource: asked,
    state: 'underWay',
  },
  'pending while its event runs': { canaryOutcome: 'pending', resource: inFlight({ id }) },
  'succeeded when its resource is ready': { canaryOutcome: 'succeeded', resource: ready },
  'succeeded also when its old letter was left behind': {
    canaryOutcome: 'succeeded',
    resource: ready,
    state: 'superseded',
  },
  'failed when a later letter is there': {
    canaryOutcome: 'failed',
    resource: failed,
    failedAgain: true,
  },
  'failed also before the status is updated': {
    canaryOutcome: 'failed',
    resource: inFlight({ id }),
    failedAgain: true,
  },
  'void when its resource is gone': { canaryOutcome: 'void' },
  'succeeded when its resource is gone, as it was to be': {
    canaryOutcome: 'succeeded',
    type: 'DELETE',
  },
  'void when other content was applied': {
    canaryOutcome: 'void',
    resource: { ...ready, spec: aResource({ spec: { config: { name: 'other' } } }).spec },
  },
  'void when its resource is being deleted': {
    canaryOutcome: 'void',
    resource: { ...failed, metadata: { ...failed.metadata, deletionTimestamp } },
  },
  'pending while a deletion runs': {
    canaryOutcome: 'pending',
    type: 'DELETE',
    resource: inFlight(
      { id, type: 'DELETE' },
      { metadata: { deletionTimestamp }, status: { state: 'deleting', reason: 'Deleting' } },
    ),
  },
  'checked later when its failure has no letter': { canaryOutcome: 'silent', resource: failed },
  'void when its change was refused before it was sent again': {
    canaryOutcome: 'void',
    resource: inFlight({ id }, { status: { state: 'failed', reason: 'ImmutableField' } }),
  },
  'pending while the old object of a replacement is deleted': {
    canaryOutcome: 'pending',
    type: 'DELETE',
    resource: deletingOld,
  },
  'succeeded when the new object of a replacement is made': {
    canaryOutcome: 'succeeded',
    type: 'DELETE',
  },
  'void when other content was applied instead of a replacement': {
    canaryOutcome: 'void',
    type: 'DELETE',
    resource: { ...deletingOld, spec: aResource({ spec: { config: { name: 'other' } } }).spec },
  },
};

describe('the canary is', () => {
  it.each(Object.entries(cases))('%s', (_name, given) => {
    const { canaryOutcome, resource, type = 'CREATE', state, failedAgain } = given;
    const cause = { canary: id, type, state: 'trying' } as const;
    const states = new Map(state === undefined ? [] : [[id, state]]);
    const again = new Set(failedAgain === true ? [id] : []);
    expect(canaryOutcomeOf(cause, resource, { states, failedAgain: again })).toBe(canaryOutcome);
  });
});

const creatingNew = inFlight({ id: 'evt-2', replacement: 1 });
const endings: Record<string, [boolean, EventType, Resource | undefined]> = {
  'a creation whose resource is ready': [true, 'CREATE', ready],
  'a creation that runs': [false, 'CREATE', inFlight({ id })],
  'a creation whose resource is gone': [false, 'CREATE', undefined],
  'a deletion whose resource is gone': [true, 'DELETE', undefined],
  'the deletion of an old object that runs': [false, 'DELETE', deletingOld],
  'the deletion of an old object after which the new one waits': [
    true,
    'DELETE',
    inFlight(replaced, { status: { state: 'pending' } }),
  ],
  'the deletion of an old object after which the new one is made': [true, 'DELETE', creatingNew],
};

describe('counts as a success of a batch, or does not:', () => {
  it.each(Object.entries(endings))('%s', (_name, [expected, type, resource]) => {
    expect(hasSucceeded({ eventId: id, type }, resource)).toBe(expected);
  });
});
