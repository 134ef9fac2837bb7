// Limited concurrency of an organization's builds; a waiting build is woken when a slot is free.
import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import { freesTurn } from '../../../../src/reconcilers/build/concurrency.ts';
import { aBuild } from '../../../support/fixtures/workloads/workload-builders.ts';

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const states = {
  none: undefined,
  pending: aBuild(),
  building: aBuild({ status: { phase: 'building' } }),
  success: aBuild({ status: { phase: 'success' } }),
  'pending, going': aBuild({ metadata: going }),
  'building, going': aBuild({ metadata: going, status: { phase: 'building' } }),
} as const satisfies Record<string, Build | undefined>;
type State = keyof typeof states;

it.each<[State, State, boolean, string]>([
  [
    'building',
    'none',
    true,
    'Somebody removed it while it ran: nothing else will tell of its end.',
  ],
  ['building', 'success', true, 'It ended.'],
  ['building, going', 'none', true, 'Only now its Job is gone as well.'],
  ['building', 'building, going', false, 'Its Job still runs.'],
  ['building', 'building', false, 'A status of it changes nothing for others.'],
  ['pending', 'none', true, 'It was ahead of others.'],
  ['pending', 'pending, going', true, 'It will not begin any more.'],
  ['pending', 'success', true, 'Somebody built the same bytes before.'],
  ['pending', 'building', false, 'It took its turn.'],
  ['none', 'pending', false, 'It comes after those that wait.'],
  ['success', 'none', false, 'It had no turn.'],
])('a change from %s to %s frees a slot: %s', (before, after, want, reason) => {
  expect(freesTurn(states[before], states[after]), reason).toBe(want);
});
