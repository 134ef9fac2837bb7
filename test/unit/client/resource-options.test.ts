import { expect, it } from 'vitest';
import { optionMarks, optionMarksOf, shownExpiry } from '../../../src/client/option-marks.ts';
import {
  type DeclaredResourceOptions,
  declaredOptions,
} from '../../../src/client/resource-options.ts';

const now = new Date('2026-01-31T12:00:00.000Z');
const time = '2026-01-31T15:00:00.000Z';
const inOneHour = '2026-01-31T13:00:00.000Z';

it.each<[string, DeclaredResourceOptions, readonly string[]]>([
  ['nothing without options', {}, []],
  ['the defaults', { protected: false, expires_at: null, deletion_policy: 'delete' }, []],
  ['protection', { protected: true }, ['protected']],
  ['an expiry', { expires_at: time }, ['expires in 3h']],
  [
    'an expiry a second after --ttl 8h',
    { expires_at: '2026-01-31T19:59:59.000Z' },
    ['expires in 8h'],
  ],
  ['an expiry within the hour', { expires_at: '2026-01-31T12:59:00.000Z' }, ['expires in 59m']],
  ['an expiry in days', { expires_at: '2026-02-07T11:59:00.000Z' }, ['expires in 7d']],
  ['an expiry that is over', { expires_at: '2026-01-31T11:59:59.000Z' }, ['expired']],
  [
    'all of them',
    { protected: true, expires_at: inOneHour, paused: true, deletion_policy: 'orphan' },
    ['protected', 'paused', 'expires in 1h', 'orphaned on delete'],
  ],
  [
    'how it is observed, where that has effects',
    { management: 'observed', observe: { every: '10m', on_drift: 'correct' } },
    ['read-only', 'corrected'],
  ],
])('marks %s', (_, options, marks) => {
  expect(optionMarks(options, now)).toEqual(marks);
});

it('shows the time itself where it is asked for', () => {
  expect(optionMarks({ expires_at: time }, now, { exact: true })).toEqual([`expires at ${time}`]);
});

it('declares what is not the default', () => {
  const options = { protected: false, expires_at: null, paused: true } as const;
  expect(declaredOptions({ ...options, deletion_policy: 'orphan' })).toEqual({
    paused: true,
    deletion_policy: 'orphan',
  });
});

it.each<[string, DeclaredResourceOptions, object]>([
  ['the members that are not', { observe: { every: '10m', ignore: [] } }, { every: '10m' }],
  [
    'all of them',
    { observe: { every: null, ignore: ['/a'], on_drift: 'correct' } },
    { ignore: ['/a'], on_drift: 'correct' },
  ],
])('declares of how a resource is observed %s', (_, options, observe) => {
  expect(declaredOptions(options)).toEqual({ observe });
});

it('declares of an import the policy that is not its default', () => {
  const adopt = { id: 'x' };
  expect(declaredOptions({ adopt, deletion_policy: 'orphan' })).toEqual({});
  expect(declaredOptions({ adopt, deletion_policy: 'delete' })).toEqual({
    deletion_policy: 'delete',
  });
});

it('marks no expiry of what is in deletion', () => {
  const options = { protected: true, expires_at: time };
  expect(optionMarksOf({ ...options, deletion_requested_at: null })).toEqual([
    'protected',
    'expires',
  ]);
  expect(optionMarksOf({ ...options, deletion_requested_at: time })).toEqual(['protected']);
});

it('warns in the hour before the expiry', () => {
  const before = (hours: number) => Date.parse(time) - hours * 3_600_000;
  expect(shownExpiry({ expires_at: time }, before(1.01))?.isSoon).toBe(false);
  expect(shownExpiry({ expires_at: time }, before(1))?.isSoon).toBe(true);
  expect(shownExpiry({ expires_at: time }, before(-1))?.isSoon).toBe(true);
  expect(shownExpiry({ expires_at: null }, before(0))).toBeUndefined();
});
