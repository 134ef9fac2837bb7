// A handler ends the process of a provider that runs elsewhere: its event is answered at once, its neighbours when they end, and then
// the process ends as it would have.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crashSentence } from '../../../src/domain/process-end/sentence.ts';
import { type Files, shopManifest } from '../../support/fixtures/code/package-folder.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  ended,
  type ProviderProcesses,
  providerProcesses,
  type StartedProvider,
  served,
} from '../../support/servers/provider-process.ts';

const code = `import { existsSync } from 'node:fs';
import { exit } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { provider, z } from 'fairlead/provider';

const file = (name) => new URL(name, import.meta.url);
const until = async (name) => {
  while (!existsSync(file(name))) await pause(10);
};
const never = () => new Promise(() => undefined);
const handlers = {
  async timer() {
    setTimeout(() => { throw new Error('Boom in ' + file('it').pathname); }, 1);
    await never();
  },
  async rejection() {
    void Promise.reject(new TypeError('no key', { cause: new Error('no vault') }));
    await never();
  },
  async text() {
    void Promise.reject('just text');
    await never();
  },
  async tick() {
    process.nextTick(() => missing());
    await never();
  },
  async exit() {
    process.exit(3);
  },
  async imported() {
    exit(4);
  },
  async caught() {
    try {
      process.exit(5);
    } catch {
      return { url: 'saved' };
    }
  },
  async listener() {
    process.on('uncaughtException', () => process.exit(9));
    setTimeout(() => { throw new Error('seen'); }, 1);
    await never();
  },
  async reporter() {
    process.on('uncaughtException', () => pause(1).then(() => process.exit(8)));
    setTimeout(() => { throw new Error('reported'); }, 1);
    await never();
  },
  async late() {
    void until('late').then(() => { throw new Error('too late'); });
    return { url: 'late' };
  },
  async second() {
    await until('second');
    queueMicrotask(() => { throw new Error('another'); });
    await never();
  },
  never,
};

const shop = provider('shop');
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.object({ size: z.int() }),
  outputs: z.object({ url: z.string() }),
  async create({ name, log }) {
    log.info('begins');
    console.error('prints for %s', name);
    if (handlers[name] !== undefined) return await handlers[name]();
    await until('release');
    return { url: name };
  },
  update: () => ({ url: 'x' }),
  delete: () => undefined,
});
export default shop.types(cart);

void until('top').then(() => setTimeout(() => { throw new Error('of nobody'); }));
`;
const files: Files = { 'package.json': shopManifest, 'index.ts': code };

/** @returns the place of the only line with this text */
function at(text: string): string {
  return `(index.ts:${code.split('\n').findIndex((line) => line.includes(text)) + 1})`;
}

let processes: ProviderProcesses;

beforeEach(async () => {
  processes = await providerProcesses();
});

afterEach(() => processes[Symbol.asyncDispose]());

async function shopOf(options = '{}') {
  const main = `import { serve } from 'fairlead/provider';
import shop from './index.ts';
const served = await serve(shop, { fairlead: process.argv[2], port: 0, codeFolder: import.meta.dirname, ...${options} });
process.once('SIGTERM', () => {
  console.log('stopping');
  void served.close();
});
console.log(JSON.stringify({ url: served.url }));
`;
  const shop = await processes.startFile({ ...files, 'main.ts': main }, 'main.ts');
  return { ...shop, end: ended(shop), url: await served(shop) };
}

interface Shop extends StartedProvider {
  readonly url: string;
}

function create({ url }: Shop, name: string) {
  return processes.post(url, { id: `evt-${name}`, name });
}

/** Begins handlers that end with the file `release`. */
async function neighbours(shop: Shop, names: readonly string[]) {
  let answered = 0;
  const answers = names.map(async (name) => {
    const { status } = await create(shop, name);
    answered += 1;
    return status;
  });
  await eventually(() => {
    for (const name of names) expect(shop.printed()).toContain(`"event":"evt-${name}"`);
  });
  return { answers: Promise.all(answers), answered: () => answered };
}

const readiness = async ({ url }: Shop) => (await fetch(`${url}/readyz`)).status;
const crashed = (message: string) => ({
  status: 500,
  body: { error: { code: 'crashed', message } },
});
const ten = Array.from({ length: 10 }, (_each, number) => `n${number}`);

const culprits: Record<string, { message: string; exitCode: number }> = {
  timer: { message: `Error: Boom in it ${at('Boom')}`, exitCode: 1 },
  rejection: {
    message: `TypeError: no key, caused by Error: no vault ${at('no key')}`,
    exitCode: 1,
  },
  text: { message: 'a promise was rejected with just text', exitCode: 1 },
  tick: { message: `ReferenceError: missing is not defined ${at('missing')}`, exitCode: 1 },
  exit: { message: `process.exit(3) ${at('exit(3)')}`, exitCode: 3 },
  imported: { message: `process.exit(4) ${at('exit(4)')}`, exitCode: 4 },
  caught: { message: `process.exit(5) ${at('exit(5)')}`, exitCode: 5 },
  listener: { message: `Error: seen ${at("'seen'")}`, exitCode: 9 },
  reporter: { message: `Error: reported ${at("'reported'")}`, exitCode: 8 },
};

it.each(Object.entries(culprits))('%s: one culprit', async (name, { message, exitCode }) => {
  const shop = await shopOf();
  const { answers, answered } = await neighbours(shop, ten);
  const { status, body } = await create(shop, name);
  expect({ status, body }).toMatchObject(crashed(message));
  const printed = [expect.stringMatching(/ info begins$/), `prints for ${name}`];
  const last = expect.stringContaining(' error The handler ends the process');
  expect(body).toMatchObject({ log: [...printed, last] });
  expect(answered()).toBe(0);
  expect(await readiness(shop)).toBe(503);
  expect((await fetch(`${shop.url}/livez`)).status).toBe(200);
  const refused = await create(shop, 'n10');
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'terminating' } } });
  expect(refused.headers.get('retry-after')).toBe('5');
  await shop.folder.write({ release: '' });
  expect(await answers).toEqual(ten.map(() => 200));
  const { code: exit, stderr } = await shop.end;
  expect(exit).toBe(exitCode);
  const lines = stderr.trimEnd().split('\n');
  expect(lines.at(-1)).toBe(`The handler of shop/cart/${name} ended the process: ${message}`);
  expect(lines.filter((line) => line.includes(' ended the process: '))).toHaveLength(1);
  const sentence = crashSentence({ exitCode, message: shop.printed().slice(-2_048) });
  expect(sentence).toBe(`The process ended with code ${exitCode}: ${message}`);
  const logged = new RegExp(`"The handler ends the process[^\\n]*"event":"evt-${name}"`);
  expect(shop.printed()).toMatch(logged);
});

describe('a crash', () => {
  it('of code that outlives its handler has nobody to answer', async () => {
    const shop = await shopOf();
    expect(await create(shop, 'late')).toMatchObject({ status: 200 });
    const { answers } = await neighbours(shop, ten);
    await shop.folder.write({ late: '' });
    await eventually(async () => expect(await readiness(shop)).toBe(503));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual(ten.map(() => 200));
    const last = `The handler of shop/cart/late ended the process: Error: too late ${at('too late')}\n`;
    expect(await shop.end).toEqual({ code: 1, stderr: expect.stringContaining(last) });
  });

  it('after another one is answered, and changes nothing else', async () => {
    const shop = await shopOf();
    const { answers } = await neighbours(shop, ten);
    const second = create(shop, 'second');
    await eventually(() => expect(shop.printed()).toContain('evt-second'));
    await create(shop, 'exit');
    await shop.folder.write({ second: '' });
    expect(await second).toMatchObject(crashed(`Error: another ${at('another')}`));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual(ten.map(() => 200));
    const { code: exit, stderr } = await shop.end;
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.not.stringContaining('another') });
  });

  it('keeps its exit code when the program stops it meanwhile', async () => {
    const shop = await shopOf();
    const { answers } = await neighbours(shop, ten);
    await create(shop, 'exit');
    shop.child.kill('SIGTERM');
    await eventually(() => expect(shop.printed()).toContain('stopping'));
    await shop.folder.write({ release: '' });
    expect(await answers).toEqual(ten.map(() => 200));
    expect(await shop.end).toMatchObject({ code: 3, stderr: expect.stringContaining('exit(3)') });
  });

  it('waits for others no longer than their time', async () => {
    const shop = await shopOf('{ crashGraceMs: 100 }');
    const lost = expect(create(shop, 'never')).rejects.toThrow();
    await eventually(() => expect(shop.printed()).toContain('evt-never'));
    await create(shop, 'exit');
    await lost;
    expect(await shop.end).toMatchObject({ code: 3 });
  }, 15_000);

  it('of no handler ends the process at once, as Node does', async () => {
    const shop = await shopOf();
    const lost = expect(create(shop, 'never')).rejects.toThrow();
    await eventually(() => expect(shop.printed()).toContain('evt-never'));
    await shop.folder.write({ top: '' });
    await lost;
    const { code: exit, stderr } = await shop.end;
    expect(exit).toBe(1);
    expect(stderr).toMatch(/\^\n\nError: of nobody\n[\s\S]*\n\nNode\.js v[^\n]*\n$/);
  });
});

it('serves elsewhere in the same way, with signs of life until the end', async () => {
  const main = `import { serve } from 'fairlead/provider';
import shop from './index.ts';
const log = { debug() {}, info: (message, { event }) => console.log(JSON.stringify({ message, event })), warn() {}, error() {} };
const { url } = await serve(shop, { fairlead: process.argv[2], port: 0, heartbeatMs: 10, log });
console.log(JSON.stringify({ url }));
`;
  const started = await processes.startFile({ ...files, 'main.ts': main }, 'main.ts');
  const shop = { ...started, end: ended(started), url: await served(started) };
  const neighbour = processes.watch(shop.url, { id: 'evt-n0', name: 'n0' });
  await eventually(() => expect(shop.printed()).toContain('evt-n0'));
  expect(await create(shop, 'exit')).toMatchObject(crashed(`process.exit(3) ${at('exit(3)')}`));
  const before = neighbour.interims();
  await eventually(() => expect(neighbour.interims()).toBeGreaterThan(before + 2));
  await shop.folder.write({ release: '' });
  expect(await neighbour.status).toBe(200);
  expect(await shop.end).toMatchObject({ code: 3 });
});
