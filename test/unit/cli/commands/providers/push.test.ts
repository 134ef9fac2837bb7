import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Answering, startAnswering } from '../../../../support/clients/answering.ts';
import { newHome, runClient } from '../../../../support/clients/client.ts';
import { eventually } from '../../../../support/runner/eventually.ts';
import { openFilesUnder } from '../../../../support/runner/open-files.ts';

const version = '20260131.120000';
const job_name = 'crates-20260131-120000';
const build = { version, job_name, status: 'success', error_message: null };
const deployment = {
  deployment_name: 'provider-crates',
  version,
  status: 'available',
  ready_replicas: 1,
  available_replicas: 1,
  replicas: 1,
  serving_version: version,
  message: '',
  incompatible_count: 0,
  incompatible_resources: [],
};
const log = 'id: 1\ndata: $ npm ci\n\nid: 2\ndata: added 1 package\n\nevent: end\ndata:\n\n';

type Routes = Readonly<Record<string, unknown>>;
const standard: Routes = {
  'GET /auth/me': {},
  'GET /providers/': [
    { provider: 'crates', version: '20260130.120000', previous_version: '20260129.120000' },
  ],
  'POST /providers/crates/push': { ...build, status: 'pending', message: '' },
  [`GET /providers/crates/builds/${job_name}/logs`]: log,
  [`GET /providers/crates/builds/${job_name}`]: build,
  'POST /providers/crates/deploy': { ...deployment, status: 'progressing' },
  'GET /providers/crates/deployment': deployment,
};

let server: Answering;
let routes: Routes;
let asked: { request: string; body: string }[];
let folder: string;

beforeEach(async () => {
  routes = standard;
  asked = [];
  const home = newHome();
  folder = join(home, 'crates');
  await runClient(['init', 'crates'], { home });
  server = await startAnswering(({ method, url, text: body }) => {
    const request = `${method} ${url}`;
    asked.push({ request, body });
    return routes[request] === undefined ? { status: 404, body: {} } : { body: routes[request] };
  });
  return server.stop;
});

async function client(words: string, options: { columns?: number; variables?: object } = {}) {
  const variables = {
    FAIRLEAD_TOKEN: 'secret',
    FAIRLEAD_URL: server.url,
    NO_COLOR: '1',
    PATH: process.env['PATH'] ?? '',
    ...options.variables,
  };
  const result = await runClient(words.split(' '), { folder, ...options, variables });
  const stable = (text: string) =>
    text.replaceAll(/\d+\.\ds/g, '0s').replaceAll(/^[\d:]{8} /gm, '');
  return { ...result, stderr: stable(result.stderr) };
}

it('shows every step as a line where nobody watches, with the log of the build', async () => {
  const { code, stdout, stderr } = await client('push');
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  expect(stderr.split('\n')).toEqual([
    'Nothing has checked the types, which a build removes.  Check them: npm run push',
    expect.stringMatching(/^✓ Pack {2}9 files, \d kB \(\d+ k?B packed\) {2}done {2}0s$/),
    expect.stringMatching(/^● Upload {2}0 % of \d+ k?B {2}uploading {2}0s$/),
    `✓ Upload  crates ${version}  done  0s`,
    '○ Build  pending  0s',
    '● Build  building  0s',
    '  $ npm ci',
    '  added 1 package',
    '✓ Build  success  0s  npm ci',
    `○ Deploy  waiting  0s  20260130.120000 → ${version}`,
    `✓ Deploy  available  0s  20260130.120000 → ${version}  1 pod ready`,
    `crates ${version} is running.  Undo: fairlead rollback crates`,
    '',
  ]);
  const form = asked.find(({ request }) => request.endsWith('/push'))?.body ?? '';
  expect(form).toMatch(
    /^--(\S+)\r\nContent-Disposition: form-data; name="code"[\s\S]*\r\n--\1--\r\n$/,
  );
});

it('shows what does not fit before it rolls back, once', async () => {
  const before = '20260129.120000';
  const warning = `2 resources have content of a newer version of the type than version ${before} has`;
  const back = { ...deployment, version: before, serving_version: before };
  routes = {
    ...routes,
    'POST /providers/crates/rollback?dry_run=true': { ...back, message: warning },
    'POST /providers/crates/deploy': { ...back, message: warning },
    'GET /providers/crates/deployment': back,
  };
  const { code, stderr } = await client('rollback crates');
  expect({ code, first: stderr.split('\n')[0] }).toEqual({
    code: 0,
    first: `Warning: ${warning}.`,
  });
  expect(stderr.split(warning)).toHaveLength(2);
  const requests = asked.map(({ request }) => request).filter((each) => each.startsWith('POST'));
  expect(requests).toEqual([
    'POST /providers/crates/rollback?dry_run=true',
    'POST /providers/crates/deploy',
  ]);
});

it.each<[string, object, object, string | undefined]>([
  [
    'by its own script',
    { push: 'tsc && fairlead push' },
    { npm_lifecycle_script: 'tsc && fairlead push' },
    undefined,
  ],
  [
    'before its own script',
    { prepush: 'npm run check' },
    { npm_lifecycle_event: 'push' },
    undefined,
  ],
  ['in the build', { build: 'tsc --noEmit && vite build' }, {}, undefined],
  ['by nothing', { build: 'esbuild src/index.ts' }, {}, 'npx tsc --noEmit'],
  ['by a script that does not run', { push: 'tsc && fairlead push' }, {}, 'npm run push'],
])('says whether types were checked: %s', async (_by, scripts, variables, advice) => {
  const path = join(folder, 'package.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), scripts }));
  const { stderr } = await client('push --dry-run', { variables });
  expect(/Nothing has checked the types.* Check them: (.*)/.exec(stderr)?.[1]).toBe(advice);
});

it('offers no rollback where no version served before', async () => {
  const first = { provider: 'crates', version, previous_version: null };
  routes = { ...routes, 'GET /providers/': [first] };
  const { stderr } = await client('push');
  expect(stderr).toContain(`crates ${version} is running.\n`);
  expect(stderr).not.toContain('rollback');
});

it('leaves the steps in their order on a terminal, and no log', async () => {
  const { stdout, stderr } = await client('push', { columns: 100 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it clears the lines drawn before
  const last = stderr.split(/\u001b\[\d+A\u001b\[0J/).at(-1) ?? '';
  expect(stdout).toBe('');
  expect(last.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '))).toEqual([
    'Nothing has',
    '✓ Pack',
    '✓ Upload',
    '✓ Build',
    '✓ Deploy',
    `crates ${version}`,
    '',
  ]);
});

it.each([
  ['push --no-deploy -q', { stdout: `${version}\n`, stderr: '' }, 'deploy'],
  ['push --no-deploy --no-wait -q', { stdout: `${version}\n`, stderr: '' }, 'logs'],
  ['push --no-deploy -q -o value=job_name', { stdout: `${job_name}\n`, stderr: '' }, 'deploy'],
])('%s stops early', async (words, expected, unasked) => {
  expect(await client(words)).toEqual({ code: 0, ...expected });
  expect(asked.filter(({ request }) => request.endsWith(unasked))).toEqual([]);
});

it('ends with the log of a build that fails', async () => {
  const failed = { ...build, status: 'failed', error_message: 'npm ci failed' };
  routes = { ...routes, [`GET /providers/crates/builds/${job_name}`]: failed };
  const { code, stdout, stderr } = await client('push -q');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(
    [
      `Error: The build ${job_name} failed: npm ci failed.`,
      '  $ npm ci',
      '  added 1 package',
      `  fairlead build logs crates ${job_name}`,
      '',
    ].join('\n'),
  );
});

it('shows the last words of a pod that fails, and the version that continues to serve', async () => {
  const message = 'TypeError: at index.ts:3';
  const failed = { ...deployment, status: 'failed', message, serving_version: '20260130.120000' };
  routes = { ...routes, 'GET /providers/crates/deployment': failed };
  const { code, stderr } = await client('push -q');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /does not run\.\n {2}TypeError: at index\.ts:3\n {2}Version 20260130\.120000 continues to serve/,
  );
});

it('claims no version to serve that never took over', async () => {
  const failed = { ...deployment, status: 'failed', message: 'Boom', serving_version: null };
  routes = { ...routes, 'GET /providers/crates/deployment': failed };
  const { stderr } = await client('push -q');
  expect(stderr).toContain('does not run.');
  expect(stderr).not.toContain('continues to serve');
});

it('says what it waited for when the time is over', async () => {
  const starting = { ...deployment, status: 'progressing', message: 'Waiting for a pod' };
  routes = { ...routes, 'GET /providers/crates/deployment': starting };
  const { code, stderr } = await client('push -q --timeout 500ms');
  expect(code).toBe(7);
  expect(stderr).toContain(`version ${version} of crates does not serve yet: Waiting for a pod.`);
});

it.runIf(process.platform === 'linux')('closes its archive when no server takes it', async () => {
  const variables = { FAIRLEAD_URL: 'http://127.0.0.1:1' };
  expect((await client('push', { variables })).code).not.toBe(0);
  await eventually(async () => {
    expect(await openFilesUnder(join(tmpdir(), 'fairlead-push-'))).toEqual([]);
  }, 2_000);
});

it('does not take the version of another person for its own', async () => {
  routes = {
    ...routes,
    'GET /providers/crates/deployment': { ...deployment, version: '20270131.120000' },
  };
  expect((await client('deploy crates 20260131.120000')).code).toBe(6);
});

it('asks for a number of pods, and waits for all of them', async () => {
  const message = `Version ${version} is serving with 1 of 3 pods. Pods cannot be created: exceeded quota`;
  const fewer = { ...deployment, replicas: 3, message };
  routes = { ...routes, 'GET /providers/crates/deployment': fewer };
  const { code, stderr } = await client(
    'deploy crates 20260131.120000 --replicas 3 --timeout 500ms',
  );
  const body = asked.find(({ request }) => request.endsWith('/deploy'))?.body ?? '';
  expect(JSON.parse(body)).toEqual({ version, replicas: 3, retire_types: false });
  expect(code).toBe(7);
  expect(stderr).toContain('exceeded quota');
  const all = { ...fewer, ready_replicas: 3, available_replicas: 3, message: '' };
  routes = { ...routes, 'GET /providers/crates/deployment': all };
  expect(await client('deploy crates 20260131.120000')).toMatchObject({ code: 0 });
});

it('refuses tokens and private keys in any text file, by file and line and without the secret', async () => {
  // Put together here, so that no scanner of repositories takes it for a real one.
  const token = ['ghp_', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('');
  writeFileSync(join(folder, 'client.ts'), `// talks to GitHub\nconst token = '${token}';\n`);
  writeFileSync(join(folder, 'large.txt'), `${token}${' '.repeat(1_048_576)}`);
  writeFileSync(join(folder, 'binary.bin'), `${token}\0`);
  writeFileSync(join(folder, '.npmrc'), `//r.example/:_authToken=${token}`);
  const refused = await client('push --dry-run --include .npmrc');
  expect(refused).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      'Error: Some files have what looks like a credential.',
      '  client.ts:2  a credential of github',
      '  Code gets credentials as settings of its provider: fairlead provider settings set NAME. If these are none: fairlead push --allow-secret client.ts',
      '',
    ].join('\n'),
  });
  const allowed = await client('push --dry-run --include .npmrc --allow-secret ./client.ts');
  expect(allowed.code).toBe(0);
  expect(allowed.stderr).toMatch(/would be uploaded as crates/);
});

it('packs folders that the provider depends on, and says what is wrong with one', async () => {
  const lib = join(folder, '../lib');
  mkdirSync(lib);
  mkdirSync(join(folder, '../.git'));
  const manifest = { name: '@mono/lib', version: '1.2.0', main: 'dist/index.js' };
  writeFileSync(join(lib, 'package.json'), JSON.stringify(manifest));
  const path = join(folder, 'package.json');
  const own = JSON.parse(readFileSync(path, 'utf8')) as object;
  const depend = (spec: string) =>
    writeFileSync(path, JSON.stringify({ ...own, dependencies: { '@mono/lib': spec } }));

  depend('file:../elsewhere');
  expect(await client('push --dry-run')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /@mono\/lib of .*package\.json is not there[\s\S]*file:\.\.\/elsewhere/,
    ),
  });
  depend('workspace:*');
  expect((await client('push --dry-run')).stderr).toMatch(/is in no workspace around it/);
  depend('file:../lib');
  expect((await client('push --dry-run')).stderr).toMatch(
    /^Error: @mono\/lib is not built: it has no dist\/index\.js\.\n[\s\S]*npm run build in its folder/,
  );
  mkdirSync(join(lib, 'dist'));
  writeFileSync(join(lib, 'dist/index.js'), '');
  const packed = await client('push --dry-run');
  expect(packed.stderr).toContain('With local packages: @mono/lib 1.2.0 (../lib).\n');
  expect(packed.code).toBe(0);
  const list = await client('push --list');
  expect(list.stdout).toContain('.local-packages/1.tgz\n');
  const manifestOfLib = { ...manifest, main: 'index.ts' };
  writeFileSync(join(lib, 'package.json'), JSON.stringify(manifestOfLib));
  writeFileSync(join(lib, 'index.ts'), '');
  expect((await client('push --dry-run')).stderr).toContain(
    'Warning: Node.js runs no TypeScript in node_modules: @mono/lib (index.ts).',
  );
});
