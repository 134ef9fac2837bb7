// What handlers print belongs to their events, is written as before, and ends with the last server.
import { Console } from 'node:console';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jsonLines } from '../../../../src/sdk/logs/log.ts';
import { recorded, unrecorded, watchOutput } from '../../../../src/sdk/logs/printed.ts';
import { type CartCall, gate, type ServedCarts, serveCarts } from '../served-carts.ts';

const streams = [process.stdout, process.stderr] as const;
const before = streams.map((stream) => Object.getOwnPropertyDescriptor(stream, 'write'));
let written: unknown[][];
let carts: ServedCarts | undefined;

/** What the process writes during a test, without writing it. */
const sink = function (this: unknown, ...args: unknown[]) {
  written.push(args);
  const done = args.at(-1);
  if (typeof done === 'function') (done as () => void)();
  return false;
} as typeof process.stdout.write;

beforeEach(() => {
  written = [];
  for (const stream of streams) stream.write = sink;
});

afterEach(async () => {
  await carts?.stop();
  carts = undefined;
  for (const [at, stream] of streams.entries()) {
    const own = before[at];
    if (own === undefined) Reflect.deleteProperty(stream, 'write');
    else Object.defineProperty(stream, 'write', own);
  }
});

/** That of Node: the test runner replaces the global one. */
const console = new Console(process.stdout, process.stderr);

async function served(options: Parameters<typeof serveCarts>[0] = {}): Promise<ServedCarts> {
  carts = await serveCarts(options);
  return carts;
}

async function logOf(answer: Promise<{ body: unknown }>): Promise<readonly string[] | undefined> {
  return ((await answer).body as { log?: readonly string[] }).log;
}

function failingAfter(work: (call: CartCall) => void | Promise<void>) {
  return async (call: CartCall): Promise<{ url: string }> => {
    await work(call);
    throw new Error('no');
  };
}

it('a failure carries what its handler printed, in order with what it logged, each once', async () => {
  const { handle, post, delivery } = await served({ log: jsonLines });
  handle(
    failingAfter(async ({ log }) => {
      console.log('begins %d', 1);
      log.info('asks');
      await Promise.resolve();
      console.error('  two\nlines');
      process.stdout.write('a part');
      process.stderr.write('beside it\n');
      process.stdout.write(', and its end\nno end');
    }),
  );
  expect(await logOf(post(delivery()))).toEqual([
    'begins 1',
    expect.stringMatching(/^\S+Z info asks$/),
    ' two',
    'lines',
    'beside it',
    'a part, and its end',
    expect.stringMatching(/^\S+Z error A handler failed; Fairlead will retry /),
    'no end',
  ]);
});

it('keeps the lines of handlers that run beside each other apart, and of nobody else', async () => {
  const { handle, send, delivery, called } = await served();
  const gates = [gate(), gate()];
  handle(
    failingAfter(async ({ name }) => {
      process.stdout.write(`${name} be`);
      await gates[0]?.passed;
      process.stdout.write('gins\n');
      setTimeout(() => gates[1]?.open(), 5);
      await gates[1]?.passed;
      console.log(`${name} ends`);
    }),
  );
  const one = await send(delivery({ id: 'evt-1', name: 'one' }));
  const two = await send(delivery({ id: 'evt-2', name: 'two' }));
  await called(2);
  process.stdout.write('of the program\n');
  gates[0]?.open();
  const logs = await Promise.all([logOf(one.answer), logOf(two.answer)]);
  const ofLog = expect.stringContaining('A handler failed');
  expect(logs).toEqual([
    ['one begins', 'one ends', ofLog],
    ['two begins', 'two ends', ofLog],
  ]);
});

it('what a handler prints after its end is in no answer', async () => {
  const { handle, post, delivery } = await served();
  const later = gate();
  handle(
    failingAfter(() => {
      void later.passed.then(() => process.stdout.write('too late\n'));
    }),
  );
  await post(delivery({ id: 'evt-1' }));
  handle(
    failingAfter(async () => {
      later.open();
      await later.passed;
      console.log('in time');
    }),
  );
  const log = await logOf(post(delivery({ id: 'evt-2' })));
  expect(written.flat()).toContain('too late\n');
  expect(log).toEqual(['in time', expect.stringContaining('A handler failed')]);
});

it('what the runtime writes for a handler is not recorded', () => {
  const end = watchOutput();
  const texts: string[] = [];
  recorded({ recorder: (text) => texts.push(text) }, () => {
    process.stderr.write('No luck today\n');
    unrecorded(() => process.stderr.write('the last words\n'));
  });
  end();
  expect(texts).toEqual(['No luck today\n']);
});

it('changes neither what is written, nor what is returned, and never throws', () => {
  const end = watchOutput();
  let called = 0;
  const failing = () => {
    throw new Error('no');
  };
  const results = recorded({ recorder: failing }, () => [
    process.stdout.write('text', () => (called += 1)),
    process.stdout.write('text', 'utf8', () => (called += 1)),
    process.stderr.write(Buffer.from('binary')),
  ]);
  expect(results).toEqual([false, false, false]);
  expect(called).toBe(2);
  expect(written.map(([chunk]) => chunk)).toEqual(['text', 'text', Buffer.from('binary')]);
  const texts: string[] = [];
  recorded({ recorder: (text) => texts.push(text) }, () => {
    process.stdout.write(Buffer.from('binary'));
    process.stdout.write('74657874', 'hex');
    process.stdout.write('text', 'utf-8');
  });
  end();
  expect(texts).toEqual(['text']);
});

it('lasts while any provider is served, and leaves the streams as they were', async () => {
  for (const stream of streams) Reflect.deleteProperty(stream, 'write');
  const prototype = streams.map(({ write }) => write);
  const both = [await serveCarts(), await serveCarts()] as const;
  expect(streams.map(({ write }) => write)).not.toEqual(prototype);
  await both[0].stop();
  expect(Object.hasOwn(process.stdout, 'write')).toBe(true);
  await both[1].stop();
  expect(streams.map((stream) => Object.hasOwn(stream, 'write'))).toEqual([false, false]);
});

it('leaves a replacement by others in place, and records through it no more', () => {
  const end = watchOutput();
  const ours = process.stdout.write;
  const wrapped = function (this: unknown, ...args: Parameters<typeof ours>) {
    return Reflect.apply(ours, this, args);
  } as typeof ours;
  process.stdout.write = wrapped;
  end();
  expect(process.stdout.write).toBe(wrapped);
  const texts: string[] = [];
  const print = () =>
    recorded({ recorder: (text) => void texts.push(text) }, () => process.stdout.write('x'));
  print();
  expect(texts).toEqual([]);
  const again = watchOutput();
  print();
  again();
  expect(texts).toEqual(['x']);
  expect(written).toEqual([['x'], ['x']]);
  process.stdout.write = ours;
  watchOutput()();
});
