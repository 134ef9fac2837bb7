// `fairlead correct`: what is shown and sent.
import { afterEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { type Answering, driftOf, startAnswering } from '../../../../support/clients/answering.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering;
afterEach(() => server.stop());

const gone = driftOf({ kind: 'gone', changes: [], total: 0 });

interface World {
  readonly records: Readonly<Record<string, Partial<ResourceRecord>>>;
  /** Refuses so many corrections because the version is another one, and what is read then. */
  lost?: number;
  readonly meanwhile?: Partial<ResourceRecord>;
}

async function serve(world: World) {
  let { lost = 0 } = world;
  let more: Partial<ResourceRecord> = {};
  server = await startAnswering(({ method, path }) => {
    const [, name = ''] = /database[/_](\w+)/.exec(path) ?? [];
    const known = world.records[name];
    if (known === undefined) return undefined;
    const record = resourceRecord(name, { drift: null, ...known, ...more });
    const headers = { etag: `"${lost}"` };
    if (method === 'GET') return { headers, body: record };
    if (lost > 0) {
      lost -= 1;
      more = world.meanwhile ?? {};
      return { status: 412, body: { detail: 'Changed', code: 'precondition_failed' } };
    }
    return { headers, body: { ...record, lifecycle_state: 'pending', reason: 'Queued' } };
  });
}

const posts = () => server.asked.filter(({ method }) => method === 'POST');

it('shows the differences, and sends the version that was seen', async () => {
  await serve({ records: { shop: { drift: driftOf() }, crm: { drift: gone }, ok: {} } });
  const names = ['shop', 'crm', 'ok'].map((name) => `postgres/database/${name}`).join(' ');
  const { code, stdout, stderr } = await server.client(`correct ${names}`);
  expect(code).toBe(0);
  expect(stderr.split('\n')).toEqual([
    'postgres/database/ok has not drifted: there is nothing to correct.  Look now: fairlead observe postgres/database/ok',
    '~ postgres/database/shop  1 of 7 compared values differs',
    '  /size  declared 20  actual 50',
    '  The provider did not read 1 more.',
    '+ postgres/database/crm  The object does not exist any more, and is created again',
    '',
  ]);
  expect(stdout).toMatch(/shop +○ pending/);
  expect(posts().map(({ path, headers }) => [path, headers['if-match']])).toEqual([
    ['/resources/resource:postgres_database_shop/correct', '"0"'],
    ['/resources/resource:postgres_database_crm/correct', '"0"'],
  ]);
});

it.each([
  ['with nothing to correct', {}, '', 0],
  ['with --dry-run', { drift: driftOf() }, ' --dry-run', 0],
])('sends nothing %s', async (_, shop, flags, expected) => {
  await serve({ records: { shop } });
  const { code } = await server.client(`correct postgres/database/shop${flags}`);
  expect([code, posts()]).toEqual([expected, []]);
});

it('goes on after a write that changed nothing that was shown', async () => {
  await serve({ records: { shop: { drift: driftOf() } }, lost: 2 });
  expect(await server.client('correct postgres/database/shop')).toMatchObject({ code: 0 });
  expect(posts().map(({ headers }) => headers['if-match'])).toEqual(['"2"', '"1"', '"0"']);
});

it('corrects nothing that it has not shown', async () => {
  const changes = [{ path: '/size', declared: 20, actual: 1 }];
  const world = { records: { shop: { drift: driftOf() } }, lost: 1 };
  await serve({ ...world, meanwhile: { drift: driftOf({ changes }) } });
  const { code, stderr } = await server.client('correct postgres/database/shop');
  expect([code, posts().length]).toEqual([6, 1]);
  expect(stderr).toContain('was changed while you looked at it');
});
