import { describe, expect, it } from 'vitest';
import { causeProgress } from '../../../src/console/pages/dead-letters/progress.ts';

const redrive = {
  state: 'running',
  retried: 3,
  left: 2,
  held: 0,
  causes: [{ provider: 'store', cause: 'aa', state: 'open', count: 2 }],
  ended_at: null,
} as const;

describe('the progress of a cause', () => {
  it.each([
    ['is that of the cause', { provider: 'store', cause: 'aa' }, { state: 'open', left: 2 }],
    [
      'is done when it is not listed',
      { provider: 'store', cause: 'bb' },
      { state: 'done', left: 0 },
    ],
    ['is that of its provider', { provider: 'other', cause: 'aa' }, { state: 'done', left: 0 }],
  ] as const)('%s', (_, cause, expected) => {
    expect(causeProgress({ ...redrive, causes: [...redrive.causes] }, cause)).toEqual(expected);
  });
});
