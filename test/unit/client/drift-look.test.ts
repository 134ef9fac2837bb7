import { describe, expect, it } from 'vitest';
import {
  type DriftRecord,
  driftRows,
  driftSentence,
  driftValueText,
  driftWord,
  driftWordOf,
  stateWord,
} from '../../../src/client/drift-look.ts';

const drift: DriftRecord = {
  since: '2026-01-31T12:00:00.000Z',
  kind: 'changed',
  changes: [{ path: '/size', declared: 1, actual: 2 }],
  total: 1,
  compared: 14,
  unknown: 0,
};
const gone: DriftRecord = { ...drift, kind: 'gone', changes: [], total: 0, compared: 0 };
const ready = { lifecycle_state: 'ready', deletion_requested_at: null, drift: null } as const;

describe('the word for a resource', () => {
  it.each([
    ['ready', ready],
    // A server before 0.2.
    ['ready', { lifecycle_state: 'ready', deletion_requested_at: null }],
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
  it.each<[string, Partial<DriftRecord>, string?]>([
    ['1 of 14 compared values differs from the object.', {}],
    [
      '1,200 of 2,000 compared values differ from the object. The provider did not read 3 more.',
      { total: 1_200, compared: 2_000, unknown: 3 },
    ],
    ['The provider says that the object does not exist any more.', gone],
    ['The provider says that the object does not exist any more.', gone, 'CorrectionLoop'],
  ])('is %s', (sentence, changes, reason) => {
    expect(driftSentence({ ...drift, ...changes }, reason)).toBe(sentence);
  });

  it('says that corrections have stopped', () => {
    expect(driftSentence(drift, 'Drifted')).toBe(driftSentence(drift));
    expect(driftSentence(drift, 'CorrectionLoop')).toMatch(
      /object\. Nothing is corrected any more/,
    );
  });
});

it('shows values as JSON, and none that is not recorded', () => {
  const omitted = { path: '/password', declared: null, actual: null, omitted: true } as const;
  const nothing = { path: '/owner', declared: 'a', actual: null };
  const rows = driftRows({ changes: [omitted, nothing] });
  expect(
    rows.map(({ path, declared, actual }) => [path, ...[declared, actual].map(driftValueText)]),
  ).toEqual([
    ['/password', 'not shown', 'not shown'],
    ['/owner', '"a"', 'null'],
  ]);
});
