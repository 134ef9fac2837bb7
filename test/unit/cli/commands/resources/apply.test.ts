// `fairlead apply` and `diff` of many documents: which requests are sent, and what is printed meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { ApplyResource, ResourceRecord } from '../../../../../src/api/shapes.ts';
import { isUnchanged } from '../../../../../src/cli/resources/apply/check.ts';
import { requestProgressText } from '../../../../../src/cli/session/api/request-progress.ts';
import {
  type Answer,
  type Answering,
  type AskedRequest,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import { newHome } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';

let server: Answering;
let asked: string[];
let role: string;
/** Answers of the limiter before the next other one. */
let limited: number;
let records: ResourceRecord[];
let warning: string | undefined;
let planned: string;

beforeEach(async () => {
  [asked, limited, role, records] = [[], 0, 'editor', []];
  [warning, planned] = [undefined, 'create'];
  server = await startAnswering(({ method, url, body }) => {
    asked.push(`${method} ${url}`);
    if (limited === 0) return answerTo(url, body);
    limited -= 1;
    return { status: 429, headers: { 'retry-after': '0' }, body: {} };
  });
  return server.stop;
});

function answerTo(path: string, { name }: AskedRequest['body']): Answer {
  if (path === '/auth/me') return { body: { role, project_id: null } };
  if (path === '/resources/types') return { body: [] };
  if (path.startsWith('/resources/apply')) {
    if (role === 'viewer')
      return { status: 403, body: { detail: 'Viewers', code: 'insufficient_role' } };
    const plan = path.includes('dry_run') ? { 'fairlead-plan': planned } : {};
    const headers = { ...plan, ...(warning === undefined ? {} : { warning }) };
    return { headers, body: resourceRecord(String(name)) };
  }
  const start = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
  const link = { link: `</resources/?cursor=${start + 1_000}>; rel="next"` };
  const isLast = start + 1_000 >= records.length;
  return { headers: isLast ? {} : link, body: records.slice(start, start + 1_000) };
}

const named = (number: number) => Array.from({ length: number }, (_, at) => `orders-${at}`);
const documentFor = (name: string) =>
  `resource: postgres/database/${name}\nconfig: {name: ${name}}\n`;

async function client(words: string, names: readonly string[]) {
  const home = newHome();
  writeFileSync(join(home, 'all.yaml'), names.map(documentFor).join('---\n'));
  return await server.client(`${words} -f all.yaml`, { home });
}

it.each([
  ['apply', 2_000],
  ['apply --dry-run', 20],
  ['diff', 20],
])(
  '[F7] [F24] asks for no document that is unchanged, and says so in one word: %s of %i',
  async (words, count) => {
    records = named(count).map((name) => resourceRecord(name));
    const { code, stdout, stderr } = await client(words, named(count));
    expect(code).toBe(0);
    expect(asked.length).toBeLessThanOrEqual(10);
    expect(asked.join()).not.toContain('/resources/apply');
    expect(stdout + stderr).toContain('unchanged');
    expect(stdout + stderr).not.toMatch(/none|same|to be unchanged/);
    expect(stderr.split('\n').length).toBeLessThanOrEqual(2);
  },
);

it('prints each warning of the server once', async () => {
  const other = 'config.url: net/open describes no output \\"prot\\"; did you mean port?';
  warning = `299 - "Version 1 of type box/crate is an earlier one; the newest is 2", 299 - "${other}"`;
  const { code, stdout, stderr } = await client('apply', named(2));
  expect(code).toBe(0);
  const line = 'Warning: Version 1 of type box/crate is an earlier one; the newest is 2.';
  const told = stderr.replaceAll(/\s+/g, ' ');
  expect(told.split(line)).toHaveLength(2);
  expect(told).toContain('Warning: config.url: net/open describes no output "prot"; did you mean');
  expect(stdout).not.toContain('Warning');
});

it('asks the server about a document that names a version of its type', () => {
  const record = resourceRecord('a', { type_version: 1 });
  const { provider, resource, name, config } = record;
  const body = { provider, resource, name, config, lifecycle_state: 'pending' } as const;
  expect(isUnchanged(record, body)).toBe(true);
  expect(isUnchanged(record, { ...body, type_version: 1 })).toBe(false);
});

it('[F7] checks and sends what is new or changed, and nothing else', async () => {
  const names = named(20);
  records = names.slice(2).map((name) => resourceRecord(name));
  records[0] = resourceRecord('orders-2', { config: { name: 'other' } });
  const { code, stdout } = await client('apply', names);
  expect(code).toBe(0);
  expect(asked.filter((path) => path.includes('/apply'))).toHaveLength(6);
  expect(stdout.match(/ unchanged /g)).toHaveLength(17);
});

it('[F7] is refused to a viewer, also where nothing would change', async () => {
  role = 'viewer';
  records = named(20).map((name) => resourceRecord(name));
  expect(await client('apply', named(20))).toMatchObject({ code: 4 });
});

it('[F7] prints one line for all waits of the rate limiter, and survives more than three', async () => {
  limited = 30;
  const { code, stderr } = await client('apply', named(3));
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'The server limits the rate of requests, so this takes longer.\n',
  });
});

const time = '2026-02-01T08:00:00.000Z';
const body: ApplyResource = {
  ...{ provider: 'postgres', resource: 'database', name: 'shop' },
  ...{ config: { size: 1, labels: { a: 'b', c: 'd' } }, lifecycle_state: 'pending' },
};
const stored = resourceRecord('shop', {
  ...{ config: { labels: { c: 'd', a: 'b' }, size: 1 }, tags: ['x', 'y'] },
  dependencies: [{ provider: 'a', resource: 'b', name: 'c' }],
});

it.each<[string, Partial<ApplyResource>, Partial<ResourceRecord>, boolean]>([
  ['the same, in another order of keys', {}, {}, true],
  ['the same while it is processed', {}, { lifecycle_state: 'processing' }, true],
  ['its own project, tags and dependencies', { project_id: 'default', tags: ['x', 'y'] }, {}, true],
  ['no tags where there are none', { tags: null }, { tags: null }, true],
  ['a draft that is one', { lifecycle_state: 'draft' }, { lifecycle_state: 'draft' }, true],
  ['another value', { config: { size: 2 } }, {}, false],
  ['a value more', { config: { ...body.config, more: null } }, {}, false],
  ['a failed one, which an apply retries', {}, { lifecycle_state: 'failed' }, false],
  ['a draft that is to be processed', {}, { lifecycle_state: 'draft' }, false],
  ['a ready one that is to be a draft', { lifecycle_state: 'draft' }, {}, false],
  ['one in deletion', {}, { deletion_requested_at: '2026-01-31T12:00:00.000Z' }, false],
  ['masked values', {}, { masked: ['/outputs/url'] }, false],
  ['another project', { project_id: 'other' }, {}, false],
  ['its project by name', { project_id: 'Main' }, { project_name: 'Main' }, true],
  ['tags in another order', { tags: ['y', 'x'] }, {}, false],
  ['removed tags', { tags: null }, {}, false],
  ['removed dependencies', { dependencies: [] }, {}, false],
  ['options that it has, which the document leaves out', {}, { protected: true }, true],
  ['options that are the same', { protected: true, paused: false }, { protected: true }, true],
  ['another protection', { protected: false }, { protected: true }, false],
  ['another pause', { paused: true }, {}, false],
  ['another policy', { deletion_policy: 'orphan' }, {}, false],
  [
    'a time in another zone',
    { expires_at: '2026-02-01T09:00:00+01:00' },
    { expires_at: time },
    true,
  ],
  ['another time', { expires_at: '2026-02-01T08:00:01Z' }, { expires_at: time }, false],
  ['no time', { expires_at: null }, { expires_at: time }, false],
  ['no time where there is none', { expires_at: null }, {}, true],
])('[F7] compares %s', (_, wanted, found, expected) => {
  expect(isUnchanged({ ...stored, ...found }, { ...body, ...wanted })).toBe(expected);
});

it.each([
  ['import', 'imported'],
  // Of a server that is newer than this client.
  ['freeze', 'freeze'],
])('says what came of the plan %s', async (plan, word) => {
  planned = plan;
  const { code, stdout } = await client('apply', named(1));
  expect([code, stdout]).toEqual([0, expect.stringMatching(`orders-0 +${word} `)]);
});

it('counts with the rate of the last requests', () => {
  expect(requestProgressText({ count: 3, total: 2_000, times: [0, 10, 20] })).toBe('3 of 2,000');
  const times = Array.from({ length: 200 }, (_, at) => at * 22.5);
  expect(requestProgressText({ count: 1_204, total: 2_000, times })).toBe(
    '1,204 of 2,000, 44/s, 18 s left',
  );
});
