import { describe, expect, it } from 'vitest';
import { type Drift, driftWord, driftWordOf, stateWord } from '../../../src/client/drift.ts';
import {
  driftRows,
  driftSentence,
  foundSentence,
  isSameDrift,
  unrecordedSentence,
} from '../../../src/client/words/drift-text.ts';

const drift: Drift = {
  since: '2026-01-31T12:00:00.000Z',
  kind: 'changed',
  changes: [{ path: '/size', declared: 1, actual: 2 }],
  total: 1,
  compared: 14,
  unknown: 0,
};
const gone: Drift = { ...drift, kind: 'gone', changes: [], total: 0, compared: 0 };
const ready = { lifecycle_state: 'ready', deletion_requested_at: null, drift: null } as const;

describe('the word for a resource', () => {
  it.each([
    ['ready', ready],
    ['drifted', { ...ready, drift }],
    ['drifted', { ...ready, drift, reason: 'CorrectionLoop' }],
    ['gone', { ...ready, drift: gone }],
    ['gone', { ...ready, reason: 'Gone' }],
    // Its correction is under way.
    ['processing', { ...ready, lifecycle_state: 'processing', drift }],
    ['failed', { ...ready, lifecycle_state: 'failed', drift: gone }],
    ['deleting', { ...ready, deletion_requested_at: '2026-01-31T12:00:00.000Z', drift }],
  ] as const)('is %s for %j', (word, record) => {
    expect(stateWord(record)).toBe(word);
    expect(driftWord(record)).toBe(word === 'drifted' || word === 'gone' ? word : undefined);
  });

  it('is that of a reason, and of no other text', () => {
    const reasons = ['Drifted', 'CorrectionLoop', 'Gone', 'Processed', 'constructor', null];
    const none = [undefined, undefined, undefined];
    expect(reasons.map(driftWordOf)).toEqual(['drifted', 'drifted', 'gone', ...none]);
  });
});

describe('the sentence', () => {
  it.each<[string, Partial<Drift>, string?]>([
    ['1 of 14 compared values differs.', {}],
    [
      '1,200 of 2,000 compared values differ. The provider did not read 3 more.',
      { total: 1_200, compared: 2_000, unknown: 3 },
    ],
    ['The object does not exist any more.', gone],
    ['The object does not exist any more.', gone, 'CorrectionLoop'],
  ])('is %s', (sentence, changes, reason) => {
    expect(driftSentence({ ...drift, ...changes }, reason)).toBe(sentence);
  });

  it('says that corrections have stopped', () => {
    expect(driftSentence(drift, 'Drifted')).toBe(driftSentence(drift));
    expect(driftSentence(drift, 'CorrectionLoop')).toMatch(
      /differs\. Nothing is corrected any more/,
    );
  });
});

it('is told of what an observation has found', () => {
  const observation = { exists: true, compared: 1_200, unknown: 3 };
  const unread = 'The provider did not read 3 more.';
  expect([
    foundSentence(observation, null),
    foundSentence({ ...observation, compared: 1, unknown: 0 }, null),
    foundSentence({ ...observation, compared: 0 }, null),
    foundSentence(observation, drift, 'CorrectionLoop'),
    foundSentence({ ...observation, exists: false }, gone),
  ]).toEqual([
    `In sync: 1,200 values were compared. ${unread}`,
    'In sync: 1 value was compared.',
    `The object exists. ${unread}`,
    driftSentence(drift, 'CorrectionLoop'),
    'Gone: the object does not exist.',
  ]);
});

it('says that there are more differences than are recorded', () => {
  const many = { ...drift, total: 2_000 };
  expect([drift, gone, many].map(unrecordedSentence)).toEqual([
    '',
    '',
    'These are the first 1 of 2,000.',
  ]);
});

it('shows no value that is not recorded', () => {
  const omitted = { path: '/password', declared: null, actual: null, omitted: true } as const;
  const nothing = { path: '/owner', declared: 'a', actual: null };
  expect(driftRows({ changes: [omitted, nothing] })).toEqual([
    { path: '/password', declared: undefined, actual: undefined },
    nothing,
  ]);
});

it('is the same drift at another time, and not with another value', () => {
  const later = { ...drift, since: '2026-02-01T12:00:00.000Z' };
  const other = { ...drift, changes: [{ path: '/size', declared: 1, actual: 3 }] };
  const found = [drift, later, other, gone, null].map((each) => isSameDrift(drift, each));
  expect(found).toEqual([true, true, false, false, false]);
});
