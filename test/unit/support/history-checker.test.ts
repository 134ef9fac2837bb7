// The oracle of the fault tests finds what it is there to find: a good history passes, and each kind of broken promise,
// planted into that same history, is reported under its name.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { endStateOf } from '../../support/faults/history/check-endings.ts';
import { checkHistory } from '../../support/faults/history/checker.ts';
import type { Call, History } from '../../support/faults/history/model.ts';
import {
  applied,
  born,
  broken,
  claim,
  create,
  deadLetter,
  delivery,
  done,
  history,
  large,
  name,
  ready,
  remove,
  small,
  update,
  version,
} from '../../support/faults/history/written.ts';

describe('a history without violations', () => {
  const goingWell: Readonly<Record<string, Partial<History>>> = {
    'from apply to ready': {},
    'an update': {
      calls: [applied(small), applied(large, { invokedAt: 2, endedAt: 3 })],
      versions: [
        ...[born(), claim(), done()],
        version({ config: large, generation: 2, status: { ...ready, content: 'of the former' } }),
        version({ config: large, generation: 2, status: { id: update, outputs: ready.outputs } }),
        version({ config: large, generation: 2, status: { ...ready, id: update } }),
      ],
      deliveries: [
        delivery(),
        delivery({ eventId: update, eventType: 'UPDATE', generation: 2, sequence: 2 }),
      ],
    },
    'a failure, its letter first': {
      versions: [
        born(),
        claim(),
        deadLetter(create),
        version({ status: { state: 'failed', reason: 'ProviderFailed' } }),
      ],
      deliveries: [delivery({ answered: { status: 422 } })],
    },
    'a deletion after the provider cleaned up': {
      calls: [applied(small), { action: 'delete', name, invokedAt: 2, endedAt: 3, outcome: 'ok' }],
      versions: [
        ...[born(), claim(), done()],
        version({ generation: 2, deleting: true, status: ready }),
        version({
          generation: 2,
          deleting: true,
          status: { id: remove, state: 'deleting', outputs: ready.outputs },
        }),
        version({
          generation: 2,
          deleting: true,
          status: { id: remove, state: 'deleting', outputs: ready.outputs },
          type: 'DELETED',
        }),
      ],
      deliveries: [
        delivery(),
        delivery({
          eventId: remove,
          eventType: 'DELETE',
          generation: 2,
          sequence: 2,
          answered: { status: 200 },
        }),
      ],
    },
    'a write of unknown outcome, applied or not': {
      calls: [applied(small), applied(large, { invokedAt: 2, endedAt: Infinity, outcome: 'info' })],
    },
    'the same attempt again after a crash': {
      deliveries: [delivery({ at: 1, answered: undefined }), delivery({ at: 5, sequence: 2 })],
      faults: [{ what: 'crash', from: 2, to: 3 }],
    },
    'the same attempt again after a 202': {
      deliveries: [
        delivery({ at: 1, answered: { status: 202 } }),
        delivery({ at: 5, sequence: 2 }),
      ],
    },
    'an unobserved step, after a relist': {
      versions: [born(), version({ status: ready, gap: true })],
    },
  };
  it.each(Object.entries(goingWell))('%s', (_name, changes) => {
    expect(broken(changes)).toEqual([]);
  });
});

describe('a violation', () => {
  const cases: Readonly<Record<string, readonly [Partial<History>, RegExp]>> = {
    'an acknowledged apply that is missing': [
      { versions: [], deliveries: [] },
      /^I1 nothing is left/,
    ],
    'an acknowledged apply undone by an earlier one': [
      { calls: [applied(small), applied(large, { invokedAt: 2, endedAt: 3 })] },
      /^I1 config {"size":1} is left/,
    ],
    'a deleted resource that still exists': [
      {
        calls: [
          applied(small),
          { action: 'delete', name, invokedAt: 2, endedAt: 3, outcome: 'ok' },
        ],
      },
      /^I1 config {"size":1} is left/,
    ],
    'a stale read of an overwritten value': [
      {
        calls: [applied(large), applied(small, { invokedAt: 2, endedAt: 3 }), read(large)],
      },
      /^I1 a read showed config {"size":2}/,
    ],
    'a read that misses an acknowledged write': [
      { calls: [applied(small), read(undefined)] },
      /^I1 a read showed nothing/,
    ],
    'a committed apply without an event': [
      { versions: [born()], deliveries: [] },
      /^I2 it is still pending/,
    ],
    'an event without an end': [{ versions: [born(), claim()] }, /^I2 it is still processing/],
    'a failure without a letter': [
      {
        versions: [
          born(),
          claim(),
          version({ status: { state: 'failed', reason: 'ProviderFailed' } }),
        ],
      },
      /^I2 it is failed without a dead letter/,
    ],
    'a letter after the failure': [
      {
        versions: [
          born(),
          claim(),
          version({ status: { state: 'failed', reason: 'ProviderFailed' } }),
          deadLetter(create),
        ],
      },
      /^I2 it failed before the letter/,
    ],
    'a letter that was lost': [
      {
        versions: [
          ...[born(), claim(), deadLetter(create)],
          version({ status: { state: 'failed', reason: 'ProviderFailed' } }),
          deadLetter(create, 'DELETED'),
        ],
      },
      /^I2 it is failed without a dead letter/,
    ],
    'another id for the same event': [
      {
        versions: [
          born(),
          version({ status: { id: 'evt-other' } }),
          version({ status: { ...ready, id: 'evt-other' } }),
        ],
        deliveries: [delivery({ eventId: 'evt-other' })],
      },
      /^I3 CREATE of generation 1 of uid-1 must be evt-/,
    ],
    'an event without a claim': [
      { deliveries: [delivery(), delivery({ eventId: 'evt-stray' })] },
      /^I3 .* was sent an event that nobody claimed/,
    ],
    'the same attempt again without a reason': [
      {
        deliveries: [delivery({ at: 1 }), delivery({ at: 5 })],
        faults: [{ what: 'x', from: 7, to: 8 }],
      },
      /^I3 attempt 1 was sent again/,
    ],
    'decreasing attempts': [
      { deliveries: [delivery({ attempt: 2 }), delivery({ attempt: 1, sequence: 2 })] },
      /^I3 attempts fell 1 times/,
    ],
    'a repeated sequence number': [
      {
        deliveries: [delivery(), delivery({ eventId: update })],
        faults: [{ what: 'x', from: 0, to: 9 }],
      },
      /sequence 1 was given to two deliveries/,
    ],
    'a sequence number that a crash repeats': [
      { deliveries: [delivery(), delivery()], faults: [{ what: 'x', from: 0, to: 9 }] },
      /^I4 sequence 1 was given to two deliveries/,
    ],
    'a poll without a higher sequence': [
      { deliveries: [delivery({ answered: { status: 202 } }), delivery()] },
      /^I4 sequence 1 was given to two deliveries/,
    ],
    'a lower sequence without a crash': [
      {
        deliveries: [delivery({ attempt: 1, sequence: 3 }), delivery({ attempt: 2, sequence: 2 })],
      },
      /^I4 sequence 2 did not grow/,
    ],
    'a status that loses a generation': [
      { versions: [born(), claim(), version({ status: { ...ready, observedGeneration: 0 } })] },
      /^I4 observedGeneration fell to 0/,
    ],
    'a result of an older event over a newer claim': [
      {
        calls: [applied(large)],
        versions: [
          ...[born(), claim(), done()],
          version({ config: large, generation: 2, status: { ...ready, content: 'of the former' } }),
          version({ config: large, generation: 2, status: { id: update, outputs: ready.outputs } }),
          version({ config: large, generation: 2, status: { ...ready, outputs: { url: 'late' } } }),
        ],
        deliveries: [delivery(), delivery({ answered: { status: 200, outputs: { url: 'late' } } })],
        faults: [{ what: 'sleep', from: 0, to: 9 }],
      },
      /^I4 outputs changed together with the event/,
    ],
    'a lost status': [{ versions: [born(), claim(), version({})] }, /^I4 its status was lost/],
    'a state that skips processing': [{ versions: [born(), done()] }, /^I5 pending became ready/],
    'a way back to draft': [
      { versions: [born(), claim(), done(), version({ lifecycle: 'Draft', status: ready })] },
      /^I5 ready became draft/,
    ],
    'an object that is ready at its creation': [
      { versions: [version({ type: 'ADDED', status: ready })] },
      /^I5 it began as ready/,
    ],
    'an object that disappeared': [
      {
        calls: [],
        versions: [born(), claim(), done(), version({ status: ready, type: 'DELETED' })],
      },
      /^I5 it vanished/,
    ],
    'an object that reappeared': [
      {
        versions: [
          born(),
          claim(),
          done(),
          version({ status: ready, deleting: true, type: 'DELETED' }),
          version({ status: ready, deleting: true }),
        ],
      },
      /^I5 it was there after its deletion/,
    ],
    'an object without a teardown': [
      {
        calls: [],
        versions: [
          born(),
          claim(),
          done(),
          version({ status: ready, deleting: true }),
          version({ status: ready, deleting: true, type: 'DELETED' }),
        ],
      },
      /^I5 .* is gone, and its provider has not cleaned up/,
    ],
    'outputs without a response': [
      { deliveries: [delivery({ answered: { status: 200, outputs: { url: 'other' } } })] },
      /^I5 it was ready with outputs that nobody answered/,
    ],
    'a write after the end': [{ quietSince: 0 }, /^I8 .* after everything had ended/],
  };
  it.each(Object.entries(cases))('%s is detected', (_name, [changes, says]) => {
    expect(broken(changes)).toContainEqual(expect.stringMatching(says));
  });

  it('another end state than that of the undisturbed run is detected', () => {
    const clean = endStateOf(history());
    expect(checkHistory(history(), clean)).toEqual([]);
    const other = history({
      versions: [born(), claim(), version({ status: { ...ready, outputs: { url: 'y' } } })],
      deliveries: [delivery({ answered: { status: 200, outputs: { url: 'y' } } })],
    });
    expect(checkHistory(other)).toEqual([]);
    expect(checkHistory(other, clean)).toEqual([
      expect.objectContaining({ invariant: 'I8', subject: 'end state' }),
    ]);
  });
});

function read(config: JsonObject | undefined): Call {
  const record = config === undefined ? undefined : { lifecycle_state: 'ready' as const, config };
  return { action: 'read', name, record, invokedAt: 4, endedAt: 5, outcome: 'ok' };
}
