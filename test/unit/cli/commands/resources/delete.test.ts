// `fairlead delete --force --wait`: what may remain outside is shown, and never turns a deletion that succeeded into a failure.
import { beforeEach, expect, it } from 'vitest';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let url: string;
let receipts: { status: number; body: unknown };
let isDeleted: boolean;
let deletions: string[];

beforeEach(async () => {
  [isDeleted, deletions] = [false, []];
  const started = await startAnswering(({ method, path }) => answerTo(method, path));
  url = started.url;
  return started.stop;
});

function answerTo(method: string, path: string): { status: number; body?: unknown } {
  if (path.startsWith('/ops/orphan-receipts')) return receipts;
  if (method === 'DELETE') isDeleted = true;
  if (method === 'DELETE') deletions.push(path);
  if (method === 'DELETE') return { status: 204 };
  if (!isDeleted) return { status: 200, body: resourceRecord('shop') };
  return { status: 404, body: { detail: 'Resource not found', code: 'resource_not_found' } };
}

const receipt = (id: string, name: string, created_at: string) => ({
  ...{ id, provider: 'postgres', resource_type: 'database', resource_name: name },
  ...{ project_id: 'default', organization_id: 'acme', reason: 'Forced', error: 'locked: no' },
  ...{ event_id: null, config: {}, outputs: {}, omitted: [], exists: null, created_at },
});

const forced = () =>
  runClient(
    ['delete', 'postgres/database/shop', '--force', '--wait', '--yes', '--timeout', '10s'],
    {
      variables: { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url },
      now: () => new Date('2026-01-31T12:00:30.000Z'),
    },
  );

it('prints the receipt of the resource, and none of another or of one before it', async () => {
  const body = [
    receipt('receipt-old', 'shop', '2026-01-31T11:59:59.000Z'),
    receipt('receipt-other', 'orders', '2026-01-31T12:00:20.000Z'),
    receipt('receipt-new', 'shop', '2026-01-31T12:00:20.000Z'),
  ];
  receipts = { status: 200, body };
  const { code, stdout, stderr } = await forced();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^receipt-new +postgres\/database\/shop +10s +Forced: locked: no$/m);
  expect(stdout).not.toMatch(/receipt-(?:old|other)/);
  expect(stderr).toContain(
    'are in 1 receipt.  After the clean-up: fairlead receipts delete receipt-new',
  );
});

it.each([
  ['says nothing of receipts when there are none', 200, [], ''],
  [
    'succeeds without the right to list receipts',
    403,
    { detail: 'Outside of the project', code: 'outside_project' },
    'Objects that may remain outside cannot be shown: Outside of the project.\n',
  ],
])('%s', async (_, status, body, note) => {
  receipts = { status, body };
  const { code, stdout, stderr } = await forced();
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'postgres/database/shop deleted\n' });
  expect(stderr).toBe(note);
});

it.each([undefined, 80])(
  '[F26] prints the name of a deleted resource once (%s columns)',
  async (columns) => {
    const words = ['delete', 'postgres/database/shop', '--wait', '--timeout', '10s'];
    const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url, NO_COLOR: '1' };
    const options = columns === undefined ? {} : { columns };
    const { code, stdout, stderr } = await runClient(words, { variables, ...options });
    expect(code).toBe(0);
    // Lines that were drawn again replace each other.
    const shown = stdout + (stderr.split('\u001b[1A\u001b[0J').at(-1) ?? '');
    expect(shown.match(/postgres\/database\/shop/g)).toHaveLength(1);
  },
);

it('leaves what the provider created with --orphan, and prints the receipt', async () => {
  const body = [receipt('receipt-new', 'shop', '2026-01-31T12:00:20.000Z')];
  receipts = { status: 200, body };
  const words = 'delete postgres/database/shop --orphan --wait --timeout 10s'.split(' ');
  const { code, stdout } = await runClient(words, {
    variables: { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: url },
  });
  expect(code).toBe(0);
  expect(deletions).toEqual(['/resources/postgres/database/shop?orphan=true']);
  expect(stdout).toMatch(/^receipt-new /m);
});
