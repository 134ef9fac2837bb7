// `fairlead get --drift`, and what `fairlead get` shows of a resource that has drifted.
import { afterEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering;
afterEach(() => server.stop());

async function serve(body: object, status = 200) {
  server = await startAnswering(() => ({ status, body }));
}

const drift: NonNullable<ResourceRecord['drift']> = {
  ...{ since: '2026-01-31T12:02:00.000Z', kind: 'changed', total: 3, compared: 7, unknown: 1 },
  changes: [
    { path: '/size', declared: 20, actual: 50 },
    { path: '/tags/owner', declared: 'a', actual: 'b\u001b[2J' },
    { path: '/password', declared: null, actual: null, omitted: true },
  ],
};
const drifted = (name: string, more: Partial<ResourceRecord> = {}) =>
  resourceRecord(name, { drift, reason: 'Drifted', message: '3 values differ', ...more });

it('shows each value of one resource that differs, and no secret', async () => {
  await serve(drifted('shop'));
  const { stdout } = await server.client('get postgres/database/shop');
  expect(stdout.split('\n').slice(1)).toEqual([
    'postgres/database/shop  ≠ drifted  5m   3 values differ [Drifted]',
    '  /size        declared 20           actual 50',
    '  /tags/owner  declared "a"          actual "b\\u001b[2J"',
    '  /password    declared (not shown)  actual (not shown)',
    '  The provider did not read 1 more.',
    '',
  ]);
  const json = await server.client('get postgres/database/shop -o value=drift.total');
  expect(json.stdout).toBe('3\n');
});

it('lists what has drifted, with how much of it, and since when', async () => {
  const gone = { ...drift, kind: 'gone', changes: [], total: 0 } as const;
  const records = [
    drifted('a'),
    drifted('b', { drift: { ...gone, changes: [] }, reason: 'Gone', message: null }),
    drifted('c', { reason: 'CorrectionLoop', message: null }),
    // The controller has not written a reason yet.
    drifted('d', { reason: 'Processed', message: 'done' }),
  ];
  await serve(records);
  const { stdout, stderr } = await server.client('get --drift');
  expect(server.asked[0]?.path).toContain('drift=true');
  expect(stdout.split('\n')).toEqual([
    'RESOURCE             STATE      DRIFT     SINCE  REASON',
    'postgres/database/a  ≠ drifted  3 values  3m     3 values differ [Drifted]',
    'postgres/database/b  ◇ gone     gone      3m     The object does not exist any more [Gone]',
    'postgres/database/c  ≠ drifted  3 values  3m     3 of 7 compared values differ [CorrectionLoop]',
    'postgres/database/d  ≠ drifted  3 values  3m     3 of 7 compared values differ',
    '',
  ]);
  expect(stderr).toBe(
    '4 resources: 4 ready (4 drifted).  What differs: fairlead get postgres/database/a\n',
  );
});
