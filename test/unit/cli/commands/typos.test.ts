// A mistyped name is never a success: the exit code is 5, the name that was meant is named, and what exists is printed before.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  type Answer,
  type Answering,
  type AskedRequest,
  startAnswering,
} from '../../../support/clients/answering.ts';
import { newHome, runClient } from '../../../support/clients/client.ts';
import { resourceRecord } from '../../../support/clients/client-records.ts';

const records = ['crm', 'orders', 'shop', 'wiki'].map((name) => resourceRecord(name));
const provider = { provider: 'postgres', hosted: true, status: 'available', message: '' };
const letter = { cause: '2f4753671716', provider: 'postgres', count: 1, error_message: 'no' };

/** What the API answers, by method and path; anything else does not exist. */
const lists: Readonly<Record<string, (query: URLSearchParams) => readonly unknown[]>> = {
  '/resources/': (query) =>
    query.get('lifecycle_state') === 'failed' || query.get('project_id') !== null
      ? []
      : records.filter(
          (each) =>
            (query.get('provider') ?? each.provider) === each.provider &&
            (query.get('resource') ?? each.resource) === each.resource,
        ),
  '/resources/types': () => [
    { provider: 'postgres', resource: 'database', schema: null, description: '' },
    { provider: 'empty', resource: 'thing', schema: null, description: '' },
  ],
  '/providers/': () => [provider, { ...provider, provider: 'empty' }],
  '/projects': () => [
    { project_id: 'default-0f1e2d3c4b5a', name: 'default' },
    { project_id: 'sales', name: 'Trade' },
  ],
  '/providers/postgres/builds': () => [],
  '/providers/empty/builds': () => [],
  '/providers/pstgres/builds': () => [],
  '/ops/dead-letter': (query) => {
    const [cause, of] = [query.get('cause'), query.get('provider')];
    return (cause ?? letter.cause) === letter.cause && (of ?? 'postgres') === 'postgres'
      ? [letter]
      : [];
  },
};

let server: Answering;
let changed: string[] = [];

beforeAll(async () => {
  server = await startAnswering(answerTo);
  return server.stop;
});

function answerTo({ method, url }: AskedRequest): Answer {
  const { pathname, searchParams } = new URL(url, 'http://api.invalid');
  const list = lists[pathname];
  if (pathname.endsWith('/retry-all')) return { status: 200, body: { retried: 0 } };
  if (method === 'GET' && list !== undefined) return { status: 200, body: list(searchParams) };
  const name = decodeURIComponent(pathname.split('/').at(2) ?? '');
  const found = records.find((each) => name === `postgres/database/${each.name}`);
  if (method === 'GET' && found !== undefined) return { status: 200, body: found };
  if (method !== 'GET') changed.push(`${method} ${pathname}`);
  if (pathname.startsWith('/providers/')) {
    const detail = `Provider ${name} was never deployed`;
    return { status: 404, body: { detail, code: 'not_deployed' } };
  }
  const detail = `Resource not found: ${name}`;
  return { status: 404, body: { detail, code: 'resource_not_found' } };
}

async function client(line: string, folder?: string) {
  changed = [];
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: server.url };
  return await runClient(line.split(' '), { variables, ...(folder && { folder, home: folder }) });
}

it.each([
  ['get pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['get postgres/databse', 'Provider postgres has no type databse.', 'postgres/database?'],
  ['get zzz', 'There is no provider zzz.', 'fairlead provider list'],
  ['get resources', 'There is no provider resources.', 'fairlead get'],
  ['get providers', 'There is no provider providers.', 'fairlead provider list'],
  ['get -p saels', 'There is no project saels.', 'Did you mean sales?'],
  ['get -p defualt', 'There is no project defualt.', 'Did you mean default?'],
  ['get postgres/database/shpo', 'postgres/database/shpo does not exist.', '/shop?'],
  ['why postgres/database/shpo', 'postgres/database/shpo does not exist.', '/shop?'],
  ['outputs postgres/databse/shop', 'databse/shop does not exist.', 'postgres/database/shop?'],
  ['history pstgres/database/zzz', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['wait pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['delete pstgres --yes', 'There is no provider pstgres.', 'Did you mean postgres?'],
  [
    'delete postgres/database/shpo',
    'postgres/database/shpo does not exist.',
    'Nothing was deleted',
  ],
  ['logs pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['deploy pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['build list pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['provider get pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['provider delete pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['type list pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['type get postgres/databse', 'databse is not registered.', 'Did you mean postgres/database?'],
  [
    'dead-letters retry --cause nope',
    'No dead letter has the cause nope.',
    'fairlead dead-letters',
  ],
  ['dead-letters retry --cause 2f475367171', 'the cause 2f475367171.', 'mean 2f4753671716?'],
  ['dead-letters --cause nope', 'No dead letter has the cause nope.', 'fairlead dead-letters'],
  ['dead-letters --provider pstgres', 'There is no provider pstgres.', 'Did you mean postgres?'],
  ['dead-letters delete --cause nope --yes', 'No dead letter has the cause nope.', 'dead-letters'],
])('%s ends with 5', async (line, sentence, next) => {
  const { code, stderr } = await client(line);
  expect(stderr).toContain(sentence);
  expect(stderr).toContain(next);
  expect(code).toBe(5);
  expect(changed.filter((each) => !each.endsWith('/retry-all'))).toEqual([]);
});

it.each([
  ['get empty', 'a provider without resources'],
  ['get empty/thing', 'a type without resources'],
  ['get postgres --failed', 'a filter that hides all'],
  ['get pst*', 'a pattern that fits nothing'],
  ['get -p sales', 'a project without resources'],
  ['get -p Trade', 'a project without resources, by its name'],
  ['dead-letters --provider empty', 'a provider without dead letters'],
  ['build list empty', 'a provider without builds'],
])('%s ends with 0: %s', async (line) => {
  expect(await client(line)).toMatchObject({ code: 0 });
});

it('prints what exists before it names what does not', async () => {
  const names = ['shop', 'shpo'].map((name) => `postgres/database/${name}`).join(' ');
  const { code, stdout, stderr } = await client(`get ${names} pstgres -o name`);
  expect([code, stdout]).toEqual([5, 'postgres/database/shop\n']);
  expect(stderr.match(/Did you mean \S+\?/g)).toEqual([
    'Did you mean postgres?',
    'Did you mean postgres/database/shop?',
  ]);
});

it('says that a limit hides resources', async () => {
  const { stderr } = await client('get --limit 2');
  expect(stderr).toBe('4 resources: 4 ready; the first 2 are shown.\n');
});

it.each([
  ['describe postgres/database/shop', 'fairlead why postgres/database/shop'],
  ['explain postgres/database', 'fairlead type get postgres/database'],
  ['get postgres -n sales', 'fairlead get postgres -p sales'],
  ['-n sales get', 'fairlead -p sales get'],
  ['get -A', 'fairlead get --all-projects'],
])('says to those who type %s what it is here', async (line, next) => {
  const { code, stderr } = await client(line);
  expect(code).toBe(2);
  expect(stderr.split('\n').at(1)?.trim()).toMatch(new RegExp(`${next}$`));
});

it('says where a guessed provider comes from', async () => {
  const folder = join(newHome(), 'shop-front');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "postgers"}');
  const { code, stderr } = await client('logs', folder);
  expect(code).toBe(5);
  expect(stderr).toContain('Provider postgers, by the package in folder shop-front.');
  expect(stderr).toContain('Did you mean postgres?');
});

it('looks before it asks', async () => {
  const deleted = await client('provider delete postgres');
  expect(deleted).toMatchObject({ code: 6 });
  expect(deleted.stderr).toContain('has 4 resources');
  const unregistered = await client('type unregister postgres/database');
  expect(unregistered).toMatchObject({ code: 2 });
  // Nobody is there to be asked: the question says what it would be about.
  expect(unregistered.stderr).toContain('4 resources');
  expect(changed).toEqual([]);
  const { stderr } = await client('type unregister postgres/database --dry-run');
  expect(stderr).toContain('It has 4 resources');
});
