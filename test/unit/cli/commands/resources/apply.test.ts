// `fairlead apply` and `diff`: which batches are sent, and what is printed of their answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { MemberPlan } from '../../../../../src/api/shapes.ts';
import { requestProgressText } from '../../../../../src/cli/session/api/request-progress.ts';
import {
  type Answer,
  type Answering,
  type AskedRequest,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import {
  answeredBatch,
  isDryRun,
  type Wanted,
  wantedIn,
} from '../../../../support/clients/batches.ts';
import { newHome } from '../../../../support/clients/client.ts';

let server: Answering;
/** Answers of the limiter before the next other one. */
let limited: number;
let member: (wanted: Wanted) => Partial<MemberPlan>;
/** Refuses a batch. */
let refused: (request: AskedRequest) => Answer | undefined;

beforeEach(async () => {
  limited = 0;
  member = () => ({});
  refused = () => undefined;
  server = await startAnswering((request) => {
    if (limited > 0) {
      limited -= 1;
      return { status: 429, headers: { 'retry-after': '0' }, body: {} };
    }
    if (request.path.startsWith('/resources/types')) return { body: [] };
    return refused(request) ?? answeredBatch(request, member);
  });
  return server.stop;
});

const named = (number: number) => Array.from({ length: number }, (_, at) => `orders-${at}`);
const documentFor = (name: string) =>
  `resource: postgres/database/${name}\nconfig: {name: ${name}}\n`;
const batches = () => server.asked.filter(({ path }) => path.startsWith('/resources/batch'));

async function client(words: string, documents: readonly string[]) {
  const home = newHome();
  writeFileSync(join(home, 'all.yaml'), documents.join('---\n'));
  return await server.client(`${words} -f all.yaml`, { home });
}

it.each([
  ['apply', 500],
  ['apply --dry-run', 20],
  ['diff', 20],
])(
  '[F7] [F24] is one request where nothing is unlike, and one word: %s of %i',
  async (words, count) => {
    member = () => ({ change: 'none', outcome: 'unchanged' });
    const { code, stdout, stderr } = await client(words, named(count).map(documentFor));
    expect(code).toBe(0);
    expect(server.asked).toHaveLength(1);
    expect(wantedIn(server.asked[0] ?? { body: {} })).toHaveLength(count);
    expect(stdout + stderr).toContain('unchanged');
    expect(stdout + stderr).not.toMatch(/none|same|to be unchanged/);
    expect(stderr.split('\n').length).toBeLessThanOrEqual(2);
  },
);

it('prints each warning of the server once', async () => {
  const other = 'config.url: net/open describes no output "prot"; did you mean port?';
  member = () => ({
    warnings: ['Version 1 of type box/crate is an earlier one; the newest is 2', other],
  });
  const { code, stdout, stderr } = await client('apply --replace', named(2).map(documentFor));
  expect(code).toBe(0);
  const line = 'Warning: Version 1 of type box/crate is an earlier one; the newest is 2.';
  const told = stderr.replaceAll(/\s+/g, ' ');
  expect(told.split(line)).toHaveLength(2);
  expect(told).toContain(`Warning: ${other}`);
  expect(stdout).not.toContain('Warning');
});

const user =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
  'resource: postgres/database/user\nconfig: {url: "${postgres/database/orders-500.outputs.url}"}\n';

it('checks several batches before it writes one, each resource after what it uses', async () => {
  const { code, stdout } = await client('apply -o name', [user, ...named(501).map(documentFor)]);
  expect(code).toBe(0);
  expect(batches().map(({ url }) => isDryRun(url))).toEqual([true, true, false, false]);
  const [first = [], last = []] = batches()
    .slice(2)
    .map((each) => wantedIn(each));
  expect([first.length, last.length]).toEqual([500, 2]);
  expect(last.map(({ name }) => name)).toEqual(['orders-500', 'user']);
  // In the order of the file.
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'postgres/database/user',
    'postgres/database/orders-0',
  ]);
});

it('writes no batch when one is refused', async () => {
  const detail = [{ loc: ['body', 'resources', 1, 'config', 'name'], type: 'x', msg: 'is bad' }];
  refused = (request) =>
    wantedIn(request).length === 2 ? { status: 422, body: { detail } } : undefined;
  const { code, stderr } = await client('apply', named(502).map(documentFor));
  expect(code).toBe(2);
  expect(batches().every(({ url }) => isDryRun(url))).toBe(true);
  // The last document is the second one of its batch.
  expect(stderr).toMatch(/all\.yaml:1505:16 +config\.name +is bad/);
});

it('names the digest of each batch once', async () => {
  const { stdout } = await client('apply --dry-run -o value=plan', named(501).map(documentFor));
  expect(stdout).toBe('digest\ndigest\n');
  const diff = await client('diff -o json', named(2).map(documentFor));
  expect(JSON.parse(diff.stdout)).toEqual([
    expect.not.objectContaining({ plan: expect.anything() }),
    expect.not.objectContaining({ plan: expect.anything() }),
  ]);
});

const refusedDetail = [
  { loc: ['body', 'resources', 0, 'config', 'name'], type: 'x', msg: 'is bad' },
];

it.each<[string, Answer, number]>([
  ['a document is refused', { status: 422, body: { detail: refusedDetail } }, 2],
  ['the request is refused', { status: 403, body: { detail: 'No', code: 'forbidden' } }, 4],
  ['the plan is stale', { status: 412, body: { detail: 'Stale', code: 'plan_stale' } }, 6],
  [
    'it is half done',
    {
      status: 409,
      body: {
        detail: 'Not all',
        code: 'set_incomplete',
        context: { resources: [{ resource: 'a/b/c', outcome: 'refused', error: null }] },
      },
    },
    6,
  ],
])('counts what earlier batches have applied when of a later one %s', async (_, answer, code) => {
  member = ({ name }) => (name === 'orders-0' ? { outcome: 'unchanged' } : {});
  const isLater = (request: AskedRequest) =>
    !isDryRun(request.url) && wantedIn(request).length === 1;
  refused = (request) => (isLater(request) ? answer : undefined);
  const result = await client('apply', named(501).map(documentFor));
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(
    '499 others were applied.  Go on: run the same command again, which writes only what is left',
  );
  expect(result.stderr).not.toContain('Nothing');
});

it('replaces with the plan that it has shown, and nothing without one', async () => {
  member = ({ name }) => (name === 'orders-0' ? { change: 'replace' } : {});
  const { code, stderr } = await client('apply --replace', named(1).map(documentFor));
  expect(code).toBe(0);
  expect(stderr).toContain('-/+ postgres/database/orders-0');
  const [planned, sent] = batches();
  expect(planned?.body).toMatchObject({ replace: true });
  expect(sent?.body).toMatchObject({ replace: true, plan: 'digest' });
  member = () => ({});
  await client('apply --replace', named(1).map(documentFor));
  const [, , , last] = batches();
  expect(last?.body).not.toMatchObject({ replace: true });
  expect(last?.body).not.toHaveProperty('plan');
});

it.each([
  [{ changed: ['a/b/c'] }, 'resources have changed since it was made', ['a/b/c']],
  [{ changed: [] }, 'the files or flags are not those that were planned', []],
])('says what a plan was made of and has changed: %o', async (context, why, names) => {
  const body = { detail: 'Stale', code: 'plan_stale', context };
  refused = () => ({ status: 412, body });
  const { code, stderr } = await client('apply --plan old', named(1).map(documentFor));
  expect(code).toBe(6);
  expect(stderr.split('\n').map((line) => line.trim())).toEqual([
    `Error: The plan is stale: ${why}.`,
    ...names,
    'Nothing was written.',
    'Look at the new plan: fairlead diff, or the same command with --dry-run.',
    '',
  ]);
});

it.each([
  ['--dry-run', 'pass one of them'],
  ['--ttl 8h', 'pass --expires TIME'],
])('takes no --plan with %s', async (flag, text) => {
  const { code, stderr } = await client(`apply --plan x ${flag}`, named(1).map(documentFor));
  expect([code, batches()]).toEqual([2, []]);
  expect(stderr).toContain(text);
});

it.each([
  ['apply', 'run the same command again, which writes only what is left'],
  ['apply --plan x', 'plan again with --dry-run, and pass the new --plan'],
])(
  'tells of each resource what became of it when only some were written: %s',
  async (words, again) => {
    const error = { code: 'conflict', message: 'Somebody else changed it' };
    const resources = [
      { resource: 'a/b/c', change: 'create', outcome: 'applied', error: null },
      { resource: 'a/b/d', change: 'update', outcome: 'refused', error },
      { resource: 'a/b/e', change: 'update', outcome: 'not_attempted', error: null },
      { resource: 'a/b/f', change: 'none', outcome: 'unchanged', error: null },
    ];
    const body = { detail: 'Not all', code: 'set_incomplete', context: { resources } };
    refused = () => ({ status: 409, body });
    const { code, stderr } = await client(words, named(4).map(documentFor));
    expect(code).toBe(6);
    expect(stderr.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['Error: 2 of 4 resources were not written.'],
      ['a/b/c', 'applied'],
      ['a/b/d', 'refused', 'Somebody else changed it.'],
      ['a/b/e', 'not attempted'],
      ['1 other was applied.', `Go on: ${again}`],
      [''],
    ]);
  },
);

it('names the document of an error that is no broken rule', async () => {
  const message = 'Resource postgres/database/orders-1 is being processed';
  const detail = [{ loc: ['body', 'resources', 1], type: 'resource_busy', msg: message }];
  refused = () => ({ status: 409, body: { detail, code: 'resource_busy' } });
  const { code, stderr } = await client('apply', named(2).map(documentFor));
  expect(code).toBe(6);
  expect(stderr).toContain(`Error: ${message}.\n`);
  expect(stderr).toContain('all.yaml:4:1');
  expect(stderr).toContain('fairlead wait postgres/database/orders-1');
});

it('shows what a plan would be refused for, and refuses it itself before a write', async () => {
  const blocked_by = { code: 'resource_busy', message: 'It is being processed' };
  member = () => ({ change: 'update', blocked_by });
  const diff = await client('diff', named(1).map(documentFor));
  expect(diff.code).toBe(0);
  expect(diff.stdout).toContain('refused now: It is being processed');
  expect(await client('apply --dry-run', named(1).map(documentFor))).toMatchObject({ code: 6 });
});

it('[F7] is refused to a viewer', async () => {
  const body = { detail: 'Viewers', code: 'insufficient_role' };
  refused = () => ({ status: 403, body });
  expect(await client('apply', named(20).map(documentFor))).toMatchObject({ code: 4 });
});

it('[F7] prints one line for all waits of the rate limiter, and survives more than three', async () => {
  limited = 30;
  const { code, stderr } = await client('apply', named(3).map(documentFor));
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'The server limits the rate of requests, so this takes longer.\n',
  });
});

it.each([
  ['import', 'imported'],
  // Of a server that is newer than this client.
  ['freeze', 'freeze'],
])('says what came of the plan %s', async (change, word) => {
  member = () => ({ change: change as 'import' });
  const { code, stdout } = await client('apply', named(1).map(documentFor));
  expect([code, stdout]).toEqual([0, expect.stringMatching(`orders-0 +${word} `)]);
});

it('counts with the rate of the last requests', () => {
  expect(requestProgressText({ count: 3, total: 2_000, times: [0, 10, 20] })).toBe('3 of 2,000');
  const times = Array.from({ length: 200 }, (_, at) => at * 22.5);
  expect(requestProgressText({ count: 1_204, total: 2_000, times })).toBe(
    '1,204 of 2,000, 44/s, 18 s left',
  );
});
