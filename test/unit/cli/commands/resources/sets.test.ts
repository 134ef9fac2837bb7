// `fairlead … --set` and `fairlead sets`: what is sent about a set, and what is printed of the answers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type {
  Explanation,
  MemberPlan,
  SetAnswer,
  SetWithMembers,
} from '../../../../../src/api/shapes.ts';
import { run } from '../../../../../src/cli/commands/run.ts';
import {
  type Answer,
  type Answering,
  type AskedRequest,
  startAnswering,
} from '../../../../support/clients/answering.ts';
import { batchMember, isDryRun, wantedIn } from '../../../../support/clients/batches.ts';
import { Buffered, clientEnvironment, newHome } from '../../../../support/clients/client.ts';
import { resourceRecord } from '../../../../support/clients/client-records.ts';
import { eventually } from '../../../../support/runner/eventually.ts';

const naming = { set: 'shop', project_id: 'default', prune: 'keep' } as const;
const set: SetWithMembers = {
  ...{ ...naming, complete: true, resources: 3, states: { ready: 2, failed: 1 }, plan: 'digest' },
  ...{ applied_at: '2026-01-31T12:02:00.000Z', applied_by: '7f', applied_by_name: 'ada' },
  ...{ members: [], unlisted: [], unlisted_count: 0 },
};

const explanation: Explanation = {
  ...{ summary: 'postgres/database/a is ready.', resource: 'postgres/database/a', state: 'ready' },
  ...{ reason: 'Processed', chain: [], event: null, dead_letter: null, log_excerpt: [] },
  ...{ users: [], next: [] },
};

let server: Answering;
/** Answers before the others do. */
let refused: (request: AskedRequest) => Answer | undefined;
/** Members beside those of the request. */
let others: readonly MemberPlan[];
let more: Partial<SetAnswer>;

beforeEach(async () => {
  [refused, others, more] = [() => undefined, [], {}];
  server = await startAnswering((request) => {
    return refused(request) ?? (request.method === 'GET' ? read(request) : planned(request));
  });
  return server.stop;
});

function read({ path }: AskedRequest): Answer {
  if (path === '/sets/') return { body: [set] };
  return { body: path.startsWith('/sets/') ? set : [] };
}

function planned(request: AskedRequest): Answer {
  const outcome = isDryRun(request.url) ? 'planned' : 'applied';
  const named = wantedIn(request).map(({ name }) => batchMember(name, { outcome }));
  const body: SetAnswer = {
    ...{ ...naming, stored_prune: 'keep', plan: 'digest', plan_required: null },
    ...{ touches: [], unlisted: [], resources: [...named, ...others] },
    ...more,
  };
  return { body };
}

const documentFor = (name: string) => `resource: postgres/database/${name}\nconfig: {a: 1}\n`;
const writes = () => server.asked.filter(({ method }) => method !== 'GET');

/** @param names of the resources in the folder `shop` */
async function client(words: string, names: readonly string[] = ['a', 'b']) {
  const home = newHome();
  mkdirSync(join(home, 'shop'));
  if (names.length > 0) {
    writeFileSync(join(home, 'shop', 'all.yaml'), names.map(documentFor).join('---\n'));
  }
  return await server.client(words, { home });
}

const leftOf = (change: MemberPlan['change']) =>
  batchMember('old', { change, outcome: 'applied', record: resourceRecord('old') });

it('applies a folder as a whole set, in one request', async () => {
  more = { unlisted: ['postgres/database/x', 'postgres/database/y'] };
  const words = 'apply -f shop --set shop --prune keep --take postgres/database/b -p crm';
  const { code, stdout, stderr } = await client(words);
  expect(code).toBe(0);
  const [sent, ...rest] = server.asked;
  expect([sent?.method, sent?.url, rest]).toEqual(['PUT', '/sets/shop', []]);
  expect(sent?.body).toEqual({
    ...{ project_id: 'crm', prune: 'keep', take: ['postgres/database/b'] },
    resources: [expect.objectContaining({ name: 'a' }), expect.objectContaining({ name: 'b' })],
  });
  expect(stdout).toMatch(/database\/a +created/);
  expect(stderr).toBe(
    '2 members are in no file, and stay: postgres/database/x, postgres/database/y.  --prune leave, orphan or delete decides.\n',
  );
});

it('shows what a set loses, and does not wait for it', async () => {
  others = [leftOf('delete')];
  const diff = await client('diff -f shop --set shop --prune delete');
  expect(diff.stdout).toContain('- postgres/database/old  deleted\n');
  expect(diff.stderr).toContain('3 resources: 2 to create, 1 to delete, 0 unchanged.');
  const ready = resourceRecord('a', { lifecycle_state: 'ready' });
  refused = ({ method }) =>
    method === 'GET' ? { body: [ready, { ...ready, id: 'b' }] } : undefined;
  const { code, stdout } = await client('apply -f shop --set shop --prune delete --wait', ['a']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/database\/old +deleted/);
});

it.each([
  ['a', ['a']],
  ['without documents', []],
])('approves a plan of a folder %s by its digest', async (_, names) => {
  const preview = await client('apply -f shop --set shop --dry-run -o value=plan', names);
  expect(preview).toMatchObject({ code: 0, stdout: 'digest\n' });
  const body = { detail: 'It would remove all members', code: 'plan_required' };
  refused = ({ body: { plan } }) => (plan === undefined ? { status: 409, body } : undefined);
  const { code, stderr } = await client('apply -f shop --set shop', names);
  expect(code).toBe(6);
  expect(stderr).toMatch(/^Error: It would remove all members\.\n +Nothing was written\..*--plan/);
  const approved = await client('apply -f shop --set shop --plan digest', names);
  expect(approved.code).toBe(0);
  expect(writes().at(-1)?.body).toMatchObject({ plan: 'digest' });
});

it('says that a plan needs an approval, and takes no --yes for one', async () => {
  more = { plan_required: 'it would remove all members' };
  others = [leftOf('delete')];
  const why = 'since it would remove all members.';
  for (const words of ['diff -f shop --set shop', 'apply -f shop --set shop --dry-run']) {
    expect((await client(words, [])).stderr).toContain(`It is applied only with --plan, ${why}`);
  }
  const { code, stderr } = await client('apply -f shop --set shop --replace --yes', []);
  expect([code, writes().filter(({ url }) => !isDryRun(url))]).toEqual([6, []]);
  expect(stderr).toContain(`This needs an approved plan, ${why}`);
  expect(stderr).toContain('--plan DIGEST');
});

it('names members that are in no file, which are no difference', async () => {
  more = { unlisted: ['postgres/database/old'] };
  others = [leftOf('unlisted')];
  const { code, stdout, stderr } = await client('diff -f shop --set shop --exit-code', []);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('A member is in no file, and stays: postgres/database/old.');
  expect(stderr).toContain('1 resource: 0 to create, 1 unlisted, 0 unchanged.');
});

it('shows what is refused beside a document', async () => {
  const protectedOne = 'Resource postgres/database/old is protected';
  const detail = [
    { loc: ['body', 'resources', 1, 'config', 'a'], type: 'x', msg: 'is bad' },
    { loc: ['body', 'prune'], type: 'resource_protected', msg: protectedOne },
  ];
  refused = () => ({ status: 422, body: { detail } });
  const both = await client('apply -f shop --set shop --prune delete');
  expect(both.stderr).toMatch(/all\.yaml:5:13 +config\.a +is bad\n +prune +Resource .*old is/);
  refused = () => ({ status: 409, body: { detail: detail.slice(1), code: 'resource_protected' } });
  const { code, stderr } = await client('apply -f shop --set shop --prune delete');
  expect([code, stderr.split('\n')[0]]).toEqual([6, `Error: ${protectedOne}.`]);
});

it('says how a member of another set moves', async () => {
  const msg = 'Resource postgres/database/b is a member of the set crm';
  const detail = [{ loc: ['body', 'resources', 1], type: 'owned_by_set', msg }];
  refused = () => ({ status: 409, body: { detail, code: 'owned_by_set' } });
  const { code, stderr } = await client('apply -f shop --set shop');
  expect(code).toBe(6);
  expect(stderr).toContain(`Error: ${msg}.`);
  expect(stderr).toContain('--take postgres/database/b');
});

it.each([
  ['apply -f shop --prune delete', '--set'],
  ['diff -f shop --take postgres/database/a', '--set'],
  ['apply postgres/database/a --revision 3 --set shop', '--set takes files'],
  ['apply postgres/database/a --from-actual --set shop', '--set takes files'],
  ['apply -f shop --set shop --prune all', 'keep'],
  ['delete --set shop', '--resources delete, orphan or leave'],
  ['delete --set shop --resources delete postgres', 'alone'],
  ['delete --set shop --resources delete --force', 'alone'],
  ['delete postgres/database/a --resources delete', '--set'],
  ['delete postgres/database/a --plan x', '--set'],
  ['why postgres/database/a --set shop', '--set'],
  // Without a terminal, nobody can be asked.
  ['delete --set shop --resources delete', '--yes'],
  ['delete --set shop --resources orphan', '--yes'],
])('refuses %s', async (words, text) => {
  others = [leftOf('delete')];
  const { code, stderr } = await client(words);
  expect([code, writes().filter(({ url }) => !isDryRun(url))]).toEqual([2, []]);
  expect(stderr).toContain(text);
});

it('takes no set that is longer than a request', async () => {
  const names = Array.from({ length: 501 }, (_, at) => `n-${at}`);
  const { code, stderr } = await client('apply -f shop --set shop', names);
  expect([code, server.asked]).toEqual([2, []]);
  expect(stderr).toContain('these 501 resources');
  expect(stderr).toContain('At most 500 resources');
});

it.each([
  ['delete --yes', 'delete', ['DELETE /sets/shop?resources=delete'], 'deleted'],
  ['delete --plan digest', 'delete', ['DELETE /sets/shop?resources=delete&plan=digest'], 'deleted'],
  ['orphan -y -p crm', 'orphan', ['DELETE /sets/shop?resources=orphan&project_id=crm'], 'orphaned'],
  ['leave', 'leave', ['DELETE /sets/shop?resources=leave'], 'left'],
  ['delete --dry-run', 'delete', [], 'delete'],
] as const)('deletes a set, and its resources %s', async (flags, change, requests, word) => {
  others = [leftOf(change)];
  const { code, stdout, stderr } = await client(`delete --set shop --resources ${flags}`);
  expect(code).toBe(0);
  const sent = writes().filter(({ url }) => !isDryRun(url));
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(requests);
  expect(stdout).toMatch(new RegExp(`database/old +${word}\\b`));
  expect(stderr).toContain(
    requests.length > 0 ? 'The set shop is deleted.' : 'Nothing was written',
  );
});

it('counts on one line of a terminal what a deletion has done', async () => {
  others = [leftOf('delete')];
  const stderr = new Buffered(80);
  const isShown = () => eventually(() => expect(stderr.text).toContain('  deleted 2 of 3\n'));
  const event = (name: string, data: unknown) =>
    `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  refused = (request) => {
    if (request.headers.accept !== 'text/event-stream') return undefined;
    const end = event('end', planned(request).body);
    const body = event('progress', { total: 3, done: 2, refused: 0 });
    return { body, rest: { after: isShown, body: end } };
  };
  const variables = { FAIRLEAD_TOKEN: 'secret', FAIRLEAD_URL: server.url, NO_COLOR: '1' };
  const outputs = { stdout: new Buffered(80), stderr };
  const environment = clientEnvironment({ home: newHome(), variables }, outputs);
  const argv = 'delete --set shop --resources delete --yes --no-wait'.split(' ');
  expect(await run(argv, environment, new AbortController().signal)).toBe(0);
  expect(outputs.stdout.text).toMatch(/database\/old +deleted/);
  expect(writes().map(({ headers }) => headers.accept)).toEqual([
    'application/json',
    'text/event-stream',
  ]);
});

it.each([
  ['', 5, []],
  [' --ignore-not-found', 0, ['DELETE']],
])(
  'deletes no set that does not exist, as one that is misspelt%s',
  async (flags, code, methods) => {
    const body = { detail: 'There is no set shpo', code: 'set_not_found' };
    refused = ({ method }) => (method === 'GET' ? { status: 404, body } : undefined);
    const result = await client(`delete --set shpo --resources leave --plan x${flags}`);
    expect([result.code, writes().map(({ method }) => method)]).toEqual([code, methods]);
    if (code !== 0) expect(result.stderr).toContain('fairlead sets');
  },
);

it('deletes no set whose member is protected', async () => {
  const blocked_by = { code: 'resource_protected', message: 'It is protected' };
  others = [batchMember('old', { change: 'delete', blocked_by })];
  const { code, stderr } = await client('delete --set shop --resources delete --yes');
  expect([code, writes().length]).toEqual([6, 1]);
  expect(stderr).toContain('Nothing was deleted.');
  expect(stderr).toContain('fairlead unprotect postgres/database/old');
});

it('lists sets', async () => {
  const { stdout, stderr } = await client('sets');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['SET', 'RESOURCES', 'STATES', 'PRUNE', 'APPLIED', 'BY'],
    ['shop', '3', '2 ready, 1 failed', 'keep', '3m', 'ada'],
    [''],
  ]);
  expect(stderr).toBe('1 set.\n');
});

it('counts the members that stay although no file names them', async () => {
  refused = () => ({ body: [{ ...set, unlisted_count: 1 }] });
  const { stdout } = await client('sets');
  expect(stdout).toContain('UNLISTED');
  expect(stdout).toMatch(/1 failed {2,}1 {2,}keep/);
});

it('explains a set: what is half done, and what is not ready', async () => {
  refused = ({ path }) => {
    if (path.startsWith('/sets/')) {
      return { body: { ...set, complete: false, unlisted: ['postgres/database/x'] } };
    }
    return { body: [] };
  };
  const { code, stdout } = await client('why --set shop');
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'The last apply or deletion, by ada 3m ago, is not complete.  Run it again.',
    'The last apply did not name postgres/database/x: --prune leave, orphan or delete decides.',
    '',
  ]);
  expect(server.asked.map(({ path }) => path)).toEqual([
    '/sets/shop',
    '/resources/explanations?set=shop&deleting=include',
  ]);
});

it.each([
  ['of a set that is half done', { set: 'shop' }, false, 'of its set shop, by ada 3m ago, is not'],
  ['of a set that is complete', { set: 'shop' }, true, undefined],
  ['without a set', { set: null }, false, undefined],
])('explains a resource %s', async (_, of, complete, text) => {
  refused = ({ path }) => {
    if (path.startsWith('/sets/')) return { body: { ...set, complete } };
    return path.includes('/explanation')
      ? { body: explanation }
      : { body: resourceRecord('a', of) };
  };
  const { code, stdout } = await client('why postgres/database/a');
  expect([code, stdout.split('\n')[0]]).toEqual([0, explanation.summary]);
  if (text === undefined) expect(stdout).not.toContain('set');
  else expect(stdout).toContain(text);
});

it.each(['get --set shop', 'wait --set shop'])(
  'selects the members of a set: %s',
  async (words) => {
    const record = resourceRecord('a', { lifecycle_state: 'ready', set: 'shop' });
    refused = ({ path }) => ({ body: path.includes('set=shop') ? [record] : record });
    expect(await client(words)).toMatchObject({ code: 0 });
    expect(server.asked[0]?.path).toContain('set=shop');
  },
);
