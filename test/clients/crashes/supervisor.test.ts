// In a pod, the end of one process costs nobody but the event that ends it: real processes, real signals, full heaps.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quarantineHeader } from '../../../src/domain/process-end/quarantine.ts';
import { dyingAddon } from '../../support/fixtures/code/dying-addon.ts';
import { type Files, shopManifest } from '../../support/fixtures/code/package-folder.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type Answer,
  ended,
  type ProviderProcesses,
  providerProcesses,
  type StartedProvider,
  served,
} from '../../support/servers/provider-process.ts';

const code = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { provider, z } from 'fairlead/provider';

const file = (name) => new URL(name, import.meta.url);
const until = async (name) => {
  while (!existsSync(file(name))) await pause(10);
};
const never = () => new Promise(() => undefined);
const kept = [];
const handlers = {
  async rejection() {
    void Promise.reject(new Error('no key'));
    await never();
  },
  async timer() {
    setTimeout(() => { throw new Error('Boom'); }, 1);
    await never();
  },
  async exit() {
    process.exit(3);
  },
  async loop() {
    await pause(1);
    for (;;);
  },
  async busy() {
    const until = Date.now() + 11_500;
    while (Date.now() < until);
    return { url: 'busy' };
  },
  async heap() {
    for (;;) {
      kept.push(Array.from({ length: 100_000 }, (_each, value) => ({ value })));
      await pause(1);
    }
  },
  async buffers() {
    for (;;) {
      kept.push(Buffer.alloc(8_000_000, 1));
      await pause(5);
    }
  },
  async signal() {
    console.error('last words');
    process.kill(process.pid, 'SIGSEGV');
    await never();
  },
  async abort() {
    console.error('last words');
    process.abort();
  },
  async addon() {
    console.error('last words');
    writeFileSync(file('addon.node'), Buffer.from(readFileSync(file('addon.txt'), 'utf8'), 'base64'));
    process.dlopen({ exports: {} }, fileURLToPath(file('addon.node')));
  },
  async late() {
    await until('late');
    process.kill(process.pid, 'SIGSEGV');
    await never();
  },
  async sleeper() {
    const { pid } = spawn('sleep', ['600'], { stdio: 'ignore' });
    console.log(JSON.stringify({ sleeper: pid }));
    await until('release');
    return { url: 'sleeper' };
  },
};

const shop = provider('shop', {
  start() {
    console.log(JSON.stringify({ child: process.pid }));
    if (existsSync(file('broken'))) throw new Error('no database');
  },
  stop() {
    console.log('stops');
  },
});
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.object({ size: z.int() }),
  outputs: z.object({ url: z.string() }),
  timeoutSeconds: 60,
  async create({ name, log }) {
    log.info('begins');
    const handler = handlers[name];
    if (handler !== undefined) return await handler();
    if (name.startsWith('n')) await until('release');
    return { url: name };
  },
  update: () => ({ url: 'x' }),
  delete: () => undefined,
});
export default shop.types(cart);

void until('top').then(() => setTimeout(() => { throw new Error('of nobody'); }));
`;
const files: Files = { 'package.json': shopManifest, 'index.ts': code };

function at(text: string): string {
  return `(index.ts:${code.split('\n').findIndex((line) => line.includes(text)) + 1})`;
}

let processes: ProviderProcesses;

beforeEach(async () => {
  processes = await providerProcesses();
});

afterEach(() => processes[Symbol.asyncDispose]());

interface Shop extends StartedProvider {
  readonly url: string;
}

async function shopOf(
  other: Files = {},
  ...more: readonly string[]
): Promise<Shop & { end: ReturnType<typeof ended> }> {
  const flags = { more: ['--notice-ms', '0', ...more] };
  const shop = await processes.start({ ...files, ...other }, flags);
  return { ...shop, end: ended(shop), url: await served(shop) };
}

async function create({ url }: Shop, name: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { status, body } = await processes.post(url, { id: `evt-${name}`, name });
  return { status, body };
}

async function begun({ printed }: StartedProvider, name: string, times = 1): Promise<void> {
  await eventually(() => {
    expect(printed().split(`"event":"evt-${name}"`).length).toBeGreaterThan(times);
  }, 60_000);
}

/** Two handlers that end with the file `release`; the first is in the child before the second is sent. */
async function neighbours(shop: Shop): Promise<{ answers: Promise<readonly number[]> }> {
  const all: Promise<number>[] = [];
  for (const name of ['n1', 'n2']) {
    all.push(create(shop, name).then(({ status }) => status));
    await begun(shop, name);
  }
  return { answers: Promise.all(all) };
}

function pids({ printed }: StartedProvider, name = 'child'): readonly number[] {
  return [...printed().matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].map(([, pid]) => Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const crashed = (message: unknown) => ({
  status: 500,
  body: { error: { code: 'crashed', message } },
});
const made = (name: string) => ({
  status: 200,
  body: { outputs: { url: name }, outputs_schema_version: 1 },
});

describe('an end with a trace', () => {
  const culprits: Record<string, string> = {
    rejection: `Error: no key ${at('no key')}`,
    timer: `Error: Boom ${at('Boom')}`,
    exit: `process.exit(3) ${at('exit(3)')}`,
  };
  it.each(Object.entries(culprits))(
    '%s: is answered at once, others end, and new events go on',
    async (name, message) => {
      const shop = await shopOf();
      const { answers } = await neighbours(shop);
      expect(await create(shop, name)).toMatchObject(crashed(message));
      expect(await create(shop, 'other')).toEqual(made('other'));
      expect((await fetch(`${shop.url}/readyz`)).status).toBe(200);
      await shop.folder.write({ release: '' });
      expect(await answers).toEqual([200, 200]);
      const [first = 0] = pids(shop);
      await eventually(() => expect(isRunning(first)).toBe(false));
      expect(shop.printed().split('"event":"evt-n1"')).toHaveLength(2);
      shop.child.kill('SIGTERM');
      expect((await shop.end).code).toBe(0);
    },
  );
});

describe('an end without a trace', () => {
  it.each([
    ['signal', 'SIGSEGV', ''],
    ['abort', 'SIGABRT', ` ${at('process.abort()')}`],
    ['addon', 'SIGILL', ''],
  ])('of one event alone has its last words: %s', async (name, signal, place) => {
    const shop = await shopOf({ 'addon.txt': dyingAddon().toString('base64') });
    const { status, body } = await create(shop, name);
    expect({ status, body }).toMatchObject(
      crashed(`The process was terminated by ${signal} during this attempt: last words${place}`),
    );
    const lines = [expect.stringMatching(/ info begins$/), 'last words'];
    expect(body).toMatchObject({ log: expect.arrayContaining(lines) });
    expect(await create(shop, 'other')).toEqual(made('other'));
    expect(shop.printed()).toContain('"ended_process":1}\n');
  });

  it('names the culprit while the innocents still run, although it was first', async () => {
    const shop = await shopOf();
    const culprit = create(shop, 'late');
    await begun(shop, 'late');
    const { answers } = await neighbours(shop);
    await shop.folder.write({ late: '' });
    expect(await culprit).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
    // Both of them, once more: after the culprit ended alone, they wait for nobody.
    const times = ['n1', 'n2'].map((name) => shop.printed().split(`"event":"evt-${name}"`).length);
    await Promise.all(['n1', 'n2'].map((name, at) => begun(shop, name, times[at])));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual([200, 200]);
  }, 30_000);

  it('of several events runs each of them alone, and fails the one', async () => {
    const shop = await shopOf();
    const { answers } = await neighbours(shop);
    const culprit = create(shop, 'signal');
    await begun(shop, 'signal');
    expect(await create(shop, 'other')).toEqual(made('other'));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual([200, 200]);
    expect(await culprit).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
    await begun(shop, 'n1', 2);
    // A culprit that comes again meets nobody.
    const [before] = pids(shop).slice(-1);
    expect(await create(shop, 'signal')).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
    expect(pids(shop).at(-1)).not.toBe(before);
  });

  it('of an event that its sender suspects meets nobody', async () => {
    const shop = await shopOf();
    const { answers } = await neighbours(shop);
    const event = { id: 'evt-signal', name: 'signal' };
    const { status, body } = await processes.post(shop.url, event, { [quarantineHeader]: '?1' });
    expect({ status, body }).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual([200, 200]);
    // Lines may arrive after answers.
    shop.child.kill('SIGTERM');
    await shop.end;
    const begins = ['n1', 'n2'].map((name) => shop.printed().split(`"event":"evt-${name}"`).length);
    expect(begins).toEqual([2, 2]);
  });

  it('holds nobody up when it comes again and runs for longer', async () => {
    const shop = await shopOf({ late: '' });
    expect(await create(shop, 'late')).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
    await rm(join(shop.folder.code, 'late'));
    expect(await create(shop, 'other')).toEqual(made('other'));
    const serving = pids(shop).at(-1) ?? 0;
    const again = create(shop, 'late');
    await begun(shop, 'late', 2);
    const { answers } = await neighbours(shop);
    process.kill(serving, 'SIGKILL');
    await Promise.all([begun(shop, 'n1', 2), begun(shop, 'n2', 2)]);
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual([200, 200]);
    await shop.folder.write({ late: '' });
    expect(await again).toMatchObject(crashed(expect.stringContaining('SIGSEGV')));
  }, 30_000);

  it.each(['heap', 'buffers'])(
    '%s: out of memory',
    async (name) => {
      const shop = await shopOf({}, '--memory-mi', '192');
      const { answers } = await neighbours(shop);
      const culprit = create(shop, name);
      await begun(shop, name);
      // The other one waits until this one has run for longer.
      await Promise.any([begun(shop, 'n1', 2), begun(shop, 'n2', 2)]);
      await shop.folder.write({ release: '' });
      expect(await answers).toEqual([200, 200]);
      expect(await culprit).toMatchObject(crashed(expect.stringMatching(/ran out of memory/)));
    },
    90_000,
  );

  it('of a kill from outside', async () => {
    const shop = await shopOf();
    const { answers } = await neighbours(shop);
    process.kill(pids(shop)[0] ?? 0, 'SIGKILL');
    await begun(shop, 'n1', 2);
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual([200, 200]);
  });
});

it('a loop without end: new events go on, the event is named, and others run again', async () => {
  const shop = await shopOf();
  const { answers } = await neighbours(shop);
  const culprit = create(shop, 'loop');
  await begun(shop, 'loop');
  expect(await create(shop, 'other')).toEqual(made('other'));
  expect(await culprit).toMatchObject({
    ...crashed(`The handler blocked the event loop for 10 s ${at('for (;;);')}`),
    body: { log: expect.arrayContaining([`    at loop ${at('for (;;);')}`]) },
  });
  await begun(shop, 'n1', 2);
  await shop.folder.write({ release: '' });
  expect(await answers).toEqual([200, 200]);
}, 60_000);

it('a handler that blocks within the limit of its provider is left alone', async () => {
  const patient = code.replace("provider('shop', {", "provider('shop', { blockedLimitSeconds: 30,");
  const shop = await shopOf({ 'index.ts': patient });
  const busy = create(shop, 'busy');
  await begun(shop, 'busy');
  expect(await create(shop, 'other')).toEqual(made('other'));
  expect(await busy).toEqual(made('busy'));
}, 60_000);

describe('a child that ends without an event', () => {
  it('is replaced', async () => {
    const shop = await shopOf({}, '--early-ms', '0');
    await shop.folder.write({ top: '' });
    await eventually(() => expect(shop.printed()).toContain('Error: of nobody'));
    // The next process, which starts a second later, would end as well.
    await rm(join(shop.folder.code, 'top'));
    await eventually(() => expect(pids(shop).length).toBeGreaterThan(1));
    const { headers } = await processes.post(shop.url, { id: 'evt-other', name: 'other' });
    expect(Number(headers.get('fairlead-unblamed-ends'))).toBeGreaterThan(0);
  }, 20_000);

  it('soon after the start of the pod ends the pod', async () => {
    const shop = await shopOf();
    await shop.folder.write({ top: '' });
    const { code: exit, stderr } = await shop.end;
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining('of nobody') });
  });

  it('at its first start ends the pod, with its words', async () => {
    const shop = await processes.start({ ...files, broken: '' });
    const { code: exit, stderr } = await ended(shop);
    expect({ exit, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      exit: 1,
      last: 'Provider shop cannot run: start failed: no database',
    });
  });
});

describe('nothing is left', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('after %s', async (signal) => {
    const shop = await shopOf({}, '--grace-ms', '100');
    const sleeper = create(shop, 'sleeper').catch(() => undefined);
    await eventually(() => expect(pids(shop, 'sleeper')).toHaveLength(1));
    const all = [...pids(shop), ...pids(shop, 'sleeper')];
    expect(all.map(isRunning)).toEqual([true, true]);
    shop.child.kill(signal);
    await eventually(() => expect(all.map(isRunning)).toEqual([false, false]));
    const answer = await sleeper;
    if (signal === 'SIGTERM') {
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'interrupted' } } });
      expect(shop.printed()).toContain('stops');
    }
  });
});
