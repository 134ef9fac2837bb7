import { expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import {
  areBlocked,
  type Goal,
  isOlder,
  verdictOf,
} from '../../../../../src/cli/resources/watch/goal.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

const record = (more: Partial<ResourceRecord> = {}) =>
  resourceRecord('c', { updated_at: '2026-01-01T00:00:01.000Z', ...more });
const deleting = { deletion_requested_at: '2026-01-01T00:00:02.000Z' };

it.each<[Goal, Partial<ResourceRecord> | undefined, string]>([
  ['settled', { lifecycle_state: 'ready' }, 'reached'],
  ['settled', { lifecycle_state: 'draft' }, 'reached'],
  ['settled', { lifecycle_state: 'failed' }, 'missed'],
  ['settled', { lifecycle_state: 'pending' }, 'waiting'],
  ['settled', { lifecycle_state: 'processing', ...deleting }, 'missed'],
  ['settled', undefined, 'missed'],
  ['ready', { lifecycle_state: 'draft' }, 'missed'],
  ['ready', { lifecycle_state: 'processing' }, 'waiting'],
  ['failed', { lifecycle_state: 'failed' }, 'reached'],
  ['failed', { lifecycle_state: 'ready' }, 'missed'],
  ['deleted', { lifecycle_state: 'ready' }, 'waiting'],
  ['deleted', { lifecycle_state: 'failed' }, 'waiting'],
  ['deleted', { lifecycle_state: 'processing', ...deleting }, 'waiting'],
  ['deleted', { lifecycle_state: 'failed', ...deleting }, 'missed'],
  ['deleted', undefined, 'reached'],
])('waiting for %s, finds %o %s', (goal, more, verdict) => {
  expect(verdictOf(goal, more && record(more))).toBe(verdict);
});

it.each([
  ['an earlier record', { updated_at: '2026-01-01T00:00:00.000Z' }, true],
  ['another config, whatever the clock says', { config: { a: 1 } }, true],
  ['the same', {}, false],
  ['a later record', { updated_at: '2026-01-01T00:00:09.000Z' }, false],
])('compares with what was applied: %s', (_, more, isOld) => {
  expect(isOlder(record(more), record())).toBe(isOld);
});

const waits = (name: string, reason: string, uses: readonly string[] = []) =>
  record({
    name,
    lifecycle_state: 'pending',
    reason,
    dependencies: uses.map((each) => ({ provider: 'postgres', resource: 'database', name: each })),
  });

it.each([
  ['one with a failed dependency', [waits('x', 'DependencyFailed')], true],
  [
    'those that use it, through others',
    [
      waits('z', 'DependenciesNotReady', ['y']),
      waits('y', 'DependenciesNotReady', ['x']),
      waits('x', 'DependencyFailed'),
    ],
    true,
  ],
  ['one whose object does not exist, and is only read', [waits('x', 'NotFound')], true],
  ['one whose object is sought', [waits('x', 'Observing')], false],
  ['one that waits for something else', [waits('x', 'DependenciesNotReady', ['other'])], false],
  [
    'one beside another that goes on',
    [waits('x', 'DependencyFailed'), waits('y', 'Queued')],
    false,
  ],
])('finds blocked: %s', (_, records, expected) => {
  expect(areBlocked(records)).toBe(expected);
});
