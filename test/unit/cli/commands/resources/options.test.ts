// `fairlead protect`, `unprotect`, `pause`, `resume` and `expire`: what is sent, and what is printed.
import { beforeEach, expect, it } from 'vitest';
import type { ResourceRecord } from '../../../../../src/api/shapes.ts';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering;
let records: Map<string, ResourceRecord>;
let applies: { path: string; body: Record<string, unknown> }[];

beforeEach(async () => {
  const secret = { config: { password: 'hunter2' } };
  records = new Map(
    ['shop', 'crm'].map((name) => [`postgres/database/${name}`, resourceRecord(name, secret)]),
  );
  applies = [];
  server = await startAnswering(({ path, url, text: sent, body }) => {
    if (sent !== '') applies.push({ path: url, body });
    const { status, body: record } = answerTo(path, body);
    return { status, headers: { etag: '"0"' }, body: record };
  });
  return server.stop;
});

function answerTo(path: string, body: object) {
  if (path.startsWith('/resources/?')) return { status: 200, body: [...records.values()] };
  const [, ref = ''] = /^\/resources\/([^?]+)/.exec(path) ?? [];
  const record = [...records].find(([key, { id }]) => key === ref || id === ref)?.[1];
  if (record !== undefined) return { status: 200, body: { ...record, ...body } };
  return { status: 404, body: { detail: 'Resource not found', code: 'resource_not_found' } };
}

const pathTo = (name: string) =>
  `/resources/${encodeURIComponent(`resource:postgres_database_${name}`)}`;
const client = (words: string, options = {}) =>
  server.client(words, { now: () => new Date('2026-01-31T12:00:00.000Z'), ...options });
const change = (name: string, more: Partial<ResourceRecord>) => {
  const ref = `postgres/database/${name}`;
  records.set(ref, { ...(records.get(ref) as ResourceRecord), ...more });
};

it.each([
  ['protect', {}, { protected: true }, 'protected'],
  ['unprotect', { protected: true }, { protected: false }, 'unprotected'],
  ['pause', {}, { paused: true }, 'paused'],
  ['resume', { paused: true }, { paused: false }, 'resumed'],
] as const)('%s sends the option, and nothing of the content', async (verb, before, sent, word) => {
  change('shop', { ...before, lifecycle_state: 'failed', tags: ['a'] });
  const { code, stdout, stderr } = await client(`${verb} postgres/database/shop`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(`RESOURCE                CHANGE\npostgres/database/shop  ${word}\n`);
  expect(applies).toEqual([{ path: pathTo('shop'), body: sent }]);
});

it.each([
  ['--ttl 8h', {}, '2026-01-31T20:00:00.000Z', 'expires in 8h'],
  [
    '--expires 2026-02-01T08:00:00Z',
    { paused: true },
    '2026-02-01T08:00:00.000Z',
    /^expires in 20h$/,
  ],
  ['--expires never', { expires_at: '2026-01-31T15:00:00.000Z' }, null, 'kept'],
])('expire %s sends the time, and nothing of the content', async (flags, before, time, word) => {
  change('shop', before);
  const { code, stdout, stderr } = await client(`expire postgres/database/shop ${flags} -o json`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    change: expect.stringMatching(word),
    expires_at: time,
  });
  expect(applies).toEqual([{ path: pathTo('shop'), body: { expires_at: time } }]);
});

it('lifts what holds up a deletion', async () => {
  change('shop', { paused: true, deletion_requested_at: '2026-01-31T11:00:00.000Z' });
  expect(await client('resume postgres/database/shop')).toMatchObject({ code: 0 });
  expect(applies).toEqual([{ path: pathTo('shop'), body: { paused: false } }]);
});

it('sends nothing for what is so, and the others', async () => {
  change('shop', { protected: true });
  const { stdout } = await client('protect postgres/database/shop postgres/database/crm');
  expect(stdout).toMatch(/shop +unchanged\npostgres\/database\/crm +protected\n$/);
  expect(applies.map(({ path }) => path)).toEqual([pathTo('crm')]);
});

it.each(['json', 'yaml', 'ndjson', 'value=resource', 'name'])(
  'prints no config as %s',
  async (format) => {
    const { code, stdout } = await client(`pause postgres/database/shop -o ${format}`);
    expect(code).toBe(0);
    expect(stdout).toContain('postgres/database/shop');
    expect(stdout).not.toContain('hunter2');
  },
);

it('asks the server with --dry-run, and says that nothing was changed', async () => {
  const { stderr } = await client('pause postgres/database/shop --dry-run');
  expect(applies[0]?.path).toBe(`${pathTo('shop')}?dry_run=true`);
  expect(stderr).toBe('Nothing was changed.\n');
});

it.each<[string, string, Partial<ResourceRecord>, number, RegExp]>([
  [
    'a mistyped name',
    'pause postgres/database/shpo postgres/database/crm',
    {},
    5,
    /does not exist\.\n {2}Nothing was changed\. {2}Did you mean postgres\/database\/shop\?/,
  ],
  [
    'several mistyped names',
    'pause postgres/database/shpo postgres/database/cmr',
    {},
    5,
    /2 of 2 resources cannot be changed\.[\s\S]*shop\?[\s\S]*crm\?/,
  ],
  ['a selector of several', 'pause postgres/database', {}, 2, /must name one resource/],
  [
    'one in deletion',
    'protect postgres/database/shop',
    { deletion_requested_at: '2026-01-31T11:00:00.000Z' },
    6,
    /is being deleted, and cannot be protected/,
  ],
  [
    'one that expires',
    'protect postgres/database/shop',
    { expires_at: '2026-01-31T15:00:00.000Z' },
    6,
    /expires in 3h[\s\S]*First: fairlead expire postgres\/database\/shop --expires never/,
  ],
  [
    'an expiry of one that is protected',
    'expire postgres/database/shop --ttl 8h',
    { protected: true },
    6,
    /is protected, and a protected resource cannot expire[\s\S]*fairlead unprotect postgres\/database\/shop/,
  ],
  [
    'an expiry of one in deletion',
    'expire postgres/database/shop --ttl 8h',
    { deletion_requested_at: '2026-01-31T11:00:00.000Z' },
    6,
    /is being deleted, and its expiry does not change/,
  ],
  ['an expiry without a time', 'expire postgres/database/shop', {}, 2, /Pass --ttl or --expires/],
])('refuses %s, and changes nothing', async (_, words, more, code, message) => {
  change('shop', more);
  const result = await client(words);
  expect(result).toMatchObject({ code, stderr: expect.stringMatching(message) });
  expect(applies).toEqual([]);
});
