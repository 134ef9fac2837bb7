// The progress of a retry, as the dialog and the box behind it show it.
import { describe, expect, it } from 'vitest';
import type { Redrive } from '../../../../../src/api/shapes.ts';
import {
  causeProgress,
  retryProgress,
} from '../../../../../src/console/pages/dead-letters/progress.ts';

type State = Redrive['causes'][number]['state'];

const redrive = (state: Redrive['state'], ...causes: [State, number, string?][]): Redrive => ({
  ...{ state, retried: 3, left: 2, held: 0, ended_at: null },
  causes: causes.map(([each, count, provider = 'store']) => ({
    ...{ provider, cause: 'aa', state: each, count },
  })),
});
const cause = { provider: 'store', cause: 'aa' };

describe('the progress of a cause', () => {
  it.each([
    ['begins', undefined, 5, { state: 'running', step: 'waiting', sent: 0 }],
    [
      'waits',
      redrive('running', ['waiting', 5]),
      5,
      { state: 'running', step: 'waiting', sent: 0 },
    ],
    ['tries', redrive('running', ['trying', 4]), 5, { state: 'running', step: 'trying', sent: 0 }],
    [
      'is running while the handler of its only event works',
      redrive('running', ['trying', 0]),
      1,
      { state: 'running', step: 'trying', sent: 0 },
    ],
    ['goes on', redrive('running', ['open', 2]), 5, { state: 'running', step: 'open', sent: 3 }],
    ['is held', redrive('held', ['held', 5]), 5, { state: 'held', step: 'held', sent: 0 }],
    ['is sent, not done', redrive('done'), 5, { state: 'sent', step: 'sent', sent: 5 }],
    [
      'is done when its only event is',
      redrive('done'),
      1,
      { state: 'done', step: 'done', sent: 1 },
    ],
    [
      'is that of its provider',
      redrive('running', ['open', 2, 'other']),
      5,
      { state: 'sent', step: 'sent', sent: 5 },
    ],
  ] as const)('%s', (_, given, accepted, expected) => {
    expect(causeProgress(given, { ...cause, accepted })).toEqual(expected);
  });
});

describe('the progress of all', () => {
  it.each([
    ['counts no event that decides about others', redrive('running', ['trying', 2]), 'running', 2],
    ['is sent at the end', redrive('done'), 'sent', 3],
    ['is done after a single event', { ...redrive('done'), retried: 1 }, 'done', 1],
    ['is held', redrive('held', ['held', 2]), 'held', 3],
  ] as const)('%s', (_, given, state, sent) => {
    expect(retryProgress(given)).toEqual({ state, sent, total: given.retried + 2 });
  });
});
