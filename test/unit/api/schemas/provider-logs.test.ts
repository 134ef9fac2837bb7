// The query of the log of a provider: durations and times.
import { expect, it } from 'vitest';
import { ProviderLogsQuery, sinceTime } from '../../../../src/api/schemas/provider-logs.ts';

const now = new Date('2026-01-31T12:00:00.000Z');

it.each([
  ['30s', '2026-01-31T11:59:30.000Z'],
  ['10m', '2026-01-31T11:50:00.000Z'],
  ['2h', '2026-01-31T10:00:00.000Z'],
  ['1d', '2026-01-30T12:00:00.000Z'],
  ['2026-01-31T11:00:00Z', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00.000Z'],
])('since %s', (since, want) => {
  expect(ProviderLogsQuery.parse({ since }).since).toBe(since);
  expect(sinceTime(since, now).toISOString()).toBe(want);
});

it('takes the id of an event', () => {
  const event = 'evt-0f8fad5bd9cb469fa16570867728950e';
  expect(ProviderLogsQuery.parse({ event }).event).toBe(event);
  expect(ProviderLogsQuery.safeParse({ event: 'evt-1' }).success).toBe(false);
});

it.each(['', '10', '0s', '-1m', '1w', 'yesterday', '2026-01-31', '99999999999d'])(
  'is not since %j',
  (since) => {
    expect(ProviderLogsQuery.safeParse({ since }).success).toBe(false);
  },
);

it('refuses to follow containers before a restart, and names the field', () => {
  const previous = ProviderLogsQuery.safeParse({ previous: true, follow: true });
  expect(previous.error?.issues).toMatchObject([{ path: ['previous'] }]);
  expect(ProviderLogsQuery.safeParse({ previous: true }).success).toBe(true);
});
