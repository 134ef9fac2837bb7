// The progress of redrives, computed from their objects and the dead letters that are present.
import { expect, it } from 'vitest';
import { redriveProgress } from '../../../../src/store/dead-letters/redrive-progress.ts';
import type { Cause, Redrive } from '../../../../src/store/dead-letters/redrives.ts';

const endedAt = new Date('2026-01-03T00:00:00Z');
const deadLetter = (provider: string, cause: string, later = false) => ({
  provider,
  cause,
  createdVersion: later ? '10' : '9',
});
const recorded = (state: Cause['state']): Cause => ({ canary: 'evt-1', type: 'CREATE', state });
const redrive = (changes: Partial<Redrive>): Redrive => ({
  untilVersion: '9',
  accepted: 0,
  causes: {},
  ...changes,
});

const cases = {
  'shows nothing when there never was one': {
    reason: 'a client may ask before the first retry',
    facts: { running: [], result: undefined, deadLetters: [deadLetter('a', '1')] },
    want: { state: 'done', retried: 0, left: 0, held: 0, causes: [], endedAt: undefined },
  },
  'counts what is left of the accepted ones': {
    reason: 'dead letters of later failures belong to no redrive',
    facts: {
      running: [redrive({ accepted: 5, causes: { 'a/1': recorded('open') } })],
      result: undefined,
      deadLetters: [
        deadLetter('a', '1'),
        deadLetter('a', '1'),
        deadLetter('b', '2'),
        deadLetter('b', '2', true),
      ],
    },
    want: {
      state: 'running',
      retried: 2,
      left: 3,
      held: 0,
      causes: [
        { provider: 'a', cause: '1', state: 'open', count: 2 },
        { provider: 'b', cause: '2', state: 'waiting', count: 1 },
      ],
    },
  },
  'tells held causes apart while another is sent': {
    reason: 'the canary of the held cause has failed again, after the cut-off',
    facts: {
      running: [
        redrive({ accepted: 3, causes: { 'a/1': recorded('held'), 'a/2': recorded('trying') } }),
      ],
      result: undefined,
      deadLetters: [deadLetter('a', '1', true), deadLetter('a', '1'), deadLetter('a', '2')],
    },
    want: { state: 'running', retried: 0, left: 1, held: 2 },
  },
  'lists a cause whose only event is under way': {
    reason: 'its dead letter is gone as soon as it is sent, and its handler works',
    facts: {
      running: [redrive({ accepted: 1, causes: { 'a/1': recorded('trying') } })],
      result: undefined,
      deadLetters: [deadLetter('b', '1', true)],
    },
    want: {
      state: 'running',
      retried: 1,
      left: 0,
      causes: [{ provider: 'a', cause: '1', state: 'trying', count: 0 }],
    },
  },
  'leaves out what the filter of the redrive excludes': {
    reason: 'one cause of one provider was requested',
    facts: {
      running: [redrive({ provider: 'a', cause: '1', accepted: 1 })],
      result: undefined,
      deadLetters: [deadLetter('a', '1'), deadLetter('a', '2'), deadLetter('b', '1')],
    },
    want: { state: 'running', retried: 0, left: 1 },
  },
  'is held after the end while dead letters of the held cause are present': {
    reason: 'the redrive itself is deleted by then',
    facts: {
      running: [],
      result: { endedAt, accepted: 4, held: ['a/1'] },
      deadLetters: [deadLetter('a', '1'), deadLetter('b', '2')],
    },
    want: { state: 'held', retried: 3, left: 0, held: 1, endedAt },
  },
  'is done once they are gone': {
    reason: 'somebody deleted them, or retried them one by one',
    facts: { running: [], result: { endedAt, accepted: 4, held: ['a/1'] }, deadLetters: [] },
    want: { state: 'done', retried: 4, left: 0, held: 0, endedAt },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, facts, want }) => {
  expect(redriveProgress(facts), reason).toMatchObject(want);
});
