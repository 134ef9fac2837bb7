// Measures what the supervisor costs a pod that does nothing: memory and start of supervisor and child, beside one process with `serve`, which
// verifies and answers the same events without a child. Then the memory of a supervisor that has passed on many events.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { placeSdk } from '../../src/providers/place-sdk.ts';
import { packageFolder } from '../../test/support/fixtures/code/package-folder.ts';
import { freePort } from '../../test/support/runner/free-port.ts';
import {
  anEvent,
  deliveryOf,
  signingFairlead,
} from '../../test/support/servers/signing-fairlead.ts';

export interface PodCost {
  /** From the start of the first process until it is ready. */
  readonly startMs: number;
  /** Memory of all processes that is not mapped from files, in MiB. */
  readonly memoryMi: number;
}

/** Until what a start leaves is collected or not. */
const settleMs = 2_000;
const pageBytes = 4_096;

const index = `import { provider, z } from 'fairlead/provider';
const shop = provider('shop');
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.strictObject({ size: z.int(), owner: z.email().optional() }),
  outputs: z.object({ url: z.string() }),
  create: () => ({ url: 'x' }),
  update: () => ({ url: 'x' }),
  delete: () => undefined,
});
export default shop.types(cart);
`;
const secretive = index
  .replace('size: z.int()', 'key: z.string().meta({ sensitive: true })')
  .replace(
    "create: () => ({ url: 'x' })",
    "create({ config }) { console.log(config.key); return { url: 'x' }; }",
  );
const serving = `import { serve } from 'fairlead/provider';
import shop from './index.js';
await serve(shop, { fairlead: 'http://127.0.0.1:9', port: Number(process.argv[2]) });
`;
const manifest = { name: 'shop', version: '1.0.0', type: 'module', exports: './index.js' };
const runtime = join(import.meta.dirname, '../../sdk/providers/runtime/main.js');

/** @returns the cost of each, alternating, after a start of each that fills the compile caches */
export async function measureSupervisor(rounds: number) {
  await using folder = await packageFolder({
    'package.json': manifest,
    'index.js': index,
    'serve.js': serving,
  });
  await placeSdk(folder.code);
  const flags = ['--code', folder.code, '--provider', 'shop', '--organization', 'acme'];
  const where = ['--fairlead', 'http://127.0.0.1:9', '--host', '127.0.0.1', '--memory-mi', '512'];
  const supervisor = (port: number) => [runtime, ...flags, ...where, '--port', `${port}`];
  const alone = (port: number) => [join(folder.code, 'serve.js'), `${port}`];
  await costOf(supervisor);
  await costOf(alone);
  const supervised: PodCost[] = [];
  const single: PodCost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    supervised.push(await costOf(supervisor));
    single.push(await costOf(alone));
  }
  return { supervised, single };
}

/** Enough for V8 to keep what it would collect of a larger heap. */
const loadEvents = 8_000;
const loadAtATime = 16;

/** @returns the memory of a supervisor, without its child, after so many events with a secret, in MiB */
export async function measureLoadedSupervisor(): Promise<number> {
  await using folder = await packageFolder({ 'package.json': manifest, 'index.js': secretive });
  const fairlead = await signingFairlead();
  const port = await freePort();
  const flags = ['--code', folder.code, '--provider', 'shop', '--organization', 'acme'];
  const where = ['--fairlead', fairlead.url, '--host', '127.0.0.1', '--port', `${port}`];
  const child = spawn(process.execPath, [runtime, ...flags, ...where], { stdio: 'ignore' });
  try {
    await ready(child, port);
    let sent = 0;
    const sendAll = async () => {
      while (sent < loadEvents) {
        sent += 1;
        const event = {
          id: `evt-${sent}`,
          name: `n${sent}`,
          config: { key: `key-${sent}-of-many` },
        };
        const { headers, body } = deliveryOf(anEvent(event), fairlead.signer);
        const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
        if (answer.status !== 200) throw new Error(await answer.text());
        await answer.text();
      }
    };
    await Promise.all(Array.from({ length: loadAtATime }, sendAll));
    return ownBytes(child.pid ?? 0) / 1_048_576;
  } finally {
    child.kill('SIGKILL');
    await fairlead.close();
  }
}

async function costOf(command: (port: number) => readonly string[]): Promise<PodCost> {
  const port = await freePort();
  const from = performance.now();
  const child = spawn(process.execPath, [...command(port)], { stdio: 'ignore' });
  try {
    await ready(child, port);
    const startMs = performance.now() - from;
    await pause(settleMs);
    const bytes = [child.pid ?? 0, ...descendants(child.pid ?? 0)].map(ownBytes);
    return { startMs, memoryMi: bytes.reduce((sum, each) => sum + each, 0) / 1_048_576 };
  } finally {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(5);
  }
}

/** Programs of Node.js: a guardian is only on machines without containers. */
function descendants(parent: number): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const own = pids.map(Number).filter((pid) => parentOf(pid) === parent);
  return own.filter((pid) => commandOf(pid) !== 'sh');
}

function parentOf(pid: number): number {
  return Number(statOf(pid).split(') ').at(-1)?.split(' ')[1] ?? 0);
}

function commandOf(pid: number): string {
  return /\((.*)\)/.exec(statOf(pid))?.[1] ?? '';
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function ownBytes(pid: number): number {
  const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
    .split(' ')
    .map(Number);
  return (resident - shared) * pageBytes;
}
