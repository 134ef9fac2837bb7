import { describe, expect, it } from 'vitest';
import { observationText } from '../../../../../../src/console/pages/resource/drift/observe.ts';

const tuple = { provider: 'pg', resource: 'role', name: 'a', reason: 'Processed', drift: null };
const observation = {
  at: '2026-01-31T12:00:00.000Z',
  ...{ exists: true, compared: 1_200, unknown: 3, error: null },
};
const earlier = { observation: { ...observation, at: '2026-01-30T12:00:00.000Z' } };
const drift = {
  since: observation.at,
  kind: 'changed' as const,
  changes: [{ path: '/size', declared: 1, actual: 2 }],
  ...{ total: 1, compared: 4, unknown: 0 },
};

describe('what an observation has found', () => {
  it.each([
    [
      'counts',
      { ...tuple, observation },
      'pg/role/a: In sync: 1,200 values were compared. The provider did not read 3 more.',
    ],
    [
      'the count alone, when all was read',
      { ...tuple, observation: { ...observation, compared: 1, unknown: 0 } },
      'pg/role/a: In sync: 1 value was compared.',
    ],
    ['differences', { ...tuple, observation, drift }, 'pg/role/a: 1 of 4 compared values differs.'],
    [
      'nothing there',
      { ...tuple, observation: { ...observation, exists: false } },
      'pg/role/a: Gone: the object does not exist.',
    ],
    [
      'nothing yet, as the result is that of before',
      { ...tuple, ...earlier },
      'The observation of pg/role/a is requested. The provider has not answered yet.',
    ],
  ])('is %s', (_, after, sentence) => {
    expect(observationText(earlier, after)).toBe(sentence);
  });

  it('is late without a result', () => {
    expect(observationText({ observation: null }, { ...tuple, observation: null })).toMatch(
      /not answered/,
    );
  });

  it('is the error of the provider', () => {
    const failed = { ...observation, exists: null, error: 'UNREACHABLE: no connection' };
    expect(() => observationText(earlier, { ...tuple, observation: failed })).toThrow(
      'Nothing was observed: UNREACHABLE: no connection',
    );
  });
});
