import { expect, it } from 'vitest';
import { intervalMs } from '../../../../src/domain/observation/interval.ts';

const cases: Record<string, { reason: string; texts: Record<string, number | undefined> }> = {
  'in every unit': {
    reason: 'People write what is shortest.',
    texts: { '90s': 90_000, '10m': 600_000, '1h': 3_600_000, '2d': 172_800_000 },
  },
  'at the limits': {
    reason: 'A minute and a week are allowed, in every unit.',
    texts: { '60s': 60_000, '1m': 60_000, '168h': 604_800_000, '7d': 604_800_000 },
  },
  'beyond the limits': {
    reason: 'Less would flood a cloud, more would find nothing in time.',
    texts: { '59s': undefined, '604801s': undefined, '169h': undefined, '8d': undefined },
  },
  'of another form': {
    reason: 'One form has one text: intervals are compared and shown as they are stored.',
    texts: {
      '': undefined,
      '10': undefined,
      m: undefined,
      '10 m': undefined,
      '10M': undefined,
      '010m': undefined,
      '+10m': undefined,
      '1.5h': undefined,
      '1h30m': undefined,
      '10m\n': undefined,
      '10w': undefined,
      '1000000s': undefined,
      never: undefined,
    },
  },
};

it.each(Object.entries(cases))('reads intervals %s', (_, { reason, texts }) => {
  const read = Object.fromEntries(Object.keys(texts).map((text) => [text, intervalMs(text)]));
  expect(read, reason).toEqual(texts);
});
