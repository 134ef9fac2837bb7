import { expect, it } from 'vitest';
import {
  declaredOptions,
  keepsOptions,
  type Options,
  optionMarks,
} from '../../../src/client/resource-options.ts';

const now = new Date('2026-01-31T12:00:00.000Z');
const time = '2026-01-31T15:00:00.000Z';
const inOneHour = '2026-01-31T13:00:00.000Z';

it.each<[string, Options, readonly string[]]>([
  ['nothing of an older server', {}, []],
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

it.each<[string, Options, Options, boolean]>([
  ['a body without options', { protected: true }, {}, true],
  ['an older server, which would refuse them', {}, { protected: false }, false],
  [
    'a time that cannot be read, which the server refuses',
    { expires_at: time },
    { expires_at: 'soon' },
    false,
  ],
])('compares %s', (_, record, body, expected) => {
  expect(keepsOptions(record, body)).toBe(expected);
});
