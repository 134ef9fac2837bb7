// Measures what starting the client costs: CPU time of whole commands over that of a Node.js that does nothing, in the same minute.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { bundledClient } from '../test/support/clients/client.ts';
import { type Caller, Fairlead } from '../test/support/servers/fairlead.ts';

const run = promisify(execFile);
const runsPerRound = 10;
const rounds = 3;
const resources = 50;

export interface CommandCost {
  readonly command: string;
  /** Milliseconds of CPU over bare Node.js, one value per round. */
  readonly overBareMs: readonly number[];
  /** The most that is wanted. */
  readonly aimMs: number;
}

/** @returns the cost of each command, and the milliseconds of CPU of bare Node.js */
export async function measureStartUp(): Promise<{
  readonly costs: readonly CommandCost[];
  readonly bareMs: readonly number[];
}> {
  await using stack = new AsyncDisposableStack();
  const fairlead = await Fairlead.start();
  stack.defer(() => fairlead.destroy());
  const caller = await fairlead.caller('start-up');
  await fill(caller);
  const home = await mkdtemp(join(tmpdir(), 'fairlead-start-up-'));
  stack.defer(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'one.yaml'), 'resource: box/crate/crate-1\nconfig: {size: 1}\n');
  const tls = await terminateTls(fairlead);
  stack.defer(tls.close);

  const launcher = await bundledClient();
  const plain = { HOME: home, FAIRLEAD_URL: fairlead.url, FAIRLEAD_TOKEN: caller.token };
  const encrypted = { ...plain, FAIRLEAD_URL: tls.url, NODE_EXTRA_CA_CERTS: tls.authority };
  // A stored login, not a variable: reading the store is the work of `token`.
  await signIn(launcher, fairlead, home);
  const stored = {
    HOME: home,
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  };
  const cases = [
    { command: '--version', env: plain, aimMs: 10 },
    { command: '--help', env: plain, aimMs: 10 },
    { command: 'completion bash', env: plain, aimMs: 10 },
    { command: 'token', env: stored, aimMs: 15 },
    { command: 'get', env: plain, aimMs: 30 },
    { command: 'why box/crate/crate-1', env: plain, aimMs: 30 },
    { command: 'apply -f one.yaml --no-wait', env: plain, aimMs: 40 },
    { command: 'get', env: encrypted, aimMs: 100 },
  ];
  const bareMs: number[] = [];
  const costs = cases.map(({ command, env, aimMs }) => ({
    command: `${command}${env === encrypted ? ' (https)' : ''}`,
    argv: [launcher, ...command.split(' ')],
    env,
    aimMs,
    overBareMs: [] as number[],
  }));
  // Fills the compile cache.
  for (const { argv, env } of costs) await cpuMsOf(argv, { env, folder: home, runs: 2 });
  for (let round = 0; round < rounds; round += 1) {
    for (const { argv, env, overBareMs } of costs) {
      const options = { env, folder: home, runs: runsPerRound };
      const bare = await cpuMsOf(['-e', '0'], options);
      overBareMs.push((await cpuMsOf(argv, options)) - bare);
      bareMs.push(bare);
    }
  }
  return { costs, bareMs };
}

interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly runs: number;
}

/** @returns the mean CPU time of a process of Node.js, user and system, in milliseconds */
async function cpuMsOf(
  argv: readonly string[],
  { env, folder, runs }: RunOptions,
): Promise<number> {
  const loop = `for at in $(seq ${runs}); do "$@" > /dev/null 2> last.log || { cat last.log >&2; exit 1; }; done; times`;
  const { stdout } = await run('bash', ['-c', loop, 'bash', process.execPath, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...env },
  });
  // `times` prints two lines, of the shell and of its children, each with user and system time: 0m0.123s 0m0.045s.
  const children = stdout.trim().split('\n').at(-1) ?? '';
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return (seconds.reduce((sum, each) => sum + each, 0) / runs) * 1_000;
}

async function fill(caller: Caller): Promise<void> {
  const type = { provider: 'box', resource: 'crate', description: 'A crate' };
  await accepted(caller.post('/resources/register', type));
  for (let at = 1; at <= resources; at += 1) {
    const body = { provider: 'box', resource: 'crate', name: `crate-${at}`, config: { size: 1 } };
    await accepted(caller.post('/resources/apply', { ...body, lifecycle_state: 'pending' }));
  }
}

async function accepted(reply: Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await reply;
  if (status !== 200) throw new Error(`the API answered ${status}`);
}

async function signIn(launcher: string, { url }: Fairlead, home: string): Promise<void> {
  const browser = resolve(import.meta.dirname, '../test/support/clients/browser.ts');
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  await run(process.execPath, [launcher, 'login', url], {
    cwd: home,
    env: { PATH, HOME: home, BROWSER: browser, LANG: 'C.UTF-8' },
  });
}

/** Serves the same API over TLS, with the certificate that the local API server made for itself. */
async function terminateTls({ url, kubeconfig }: Fairlead) {
  const certificates = join(dirname(kubeconfig), 'certs');
  const authority = join(certificates, 'apiserver.crt');
  const [key, cert] = await Promise.all([
    readFile(join(certificates, 'apiserver.key')),
    readFile(authority),
  ]);
  const server = createServer({ key, cert }, (incoming, response) => {
    const { method, headers, url: path } = incoming;
    const outgoing = request(new URL(path ?? '/', url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    authority,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
