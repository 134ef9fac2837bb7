// What watching changes in the process, and that it is undone: programs and tests import the SDK without serving.
import { afterEach, expect, it } from 'vitest';
import { watchProcess } from '../../../../src/sdk/crash/trace.ts';
import { serveCarts } from '../served-carts.ts';

const untouched = { exit: process.exit, listeners: monitors() };

function monitors(): number {
  return process.listenerCount('uncaughtExceptionMonitor');
}

afterEach(() => {
  process.exit = untouched.exit;
});

it('lasts while a provider is served, and adds no listener that keeps the process alive', async () => {
  const listeners = process.listenerCount('uncaughtException');
  const shops = [await serveCarts(), await serveCarts()] as const;
  expect(process.exit).not.toBe(untouched.exit);
  expect(monitors()).toBe(untouched.listeners + 1);
  expect(process.listenerCount('uncaughtException')).toBe(listeners);
  await shops[0].stop();
  expect(process.exit).not.toBe(untouched.exit);
  await shops[1].stop();
  expect({ exit: process.exit, listeners: monitors() }).toEqual(untouched);
});

it('leaves a replacement of process.exit by others in place, and does not call itself', () => {
  const calls: unknown[] = [];
  process.exit = ((code: number) => void calls.push(code)) as typeof process.exit;
  const end = watchProcess();
  const ours = process.exit;
  const wrapped = ((code: number) => ours(code)) as typeof process.exit;
  process.exit = wrapped;
  end();
  expect(process.exit).toBe(wrapped);
  watchProcess()();
  const { exit } = process as { exit: (code: number) => unknown };
  exit(7);
  expect(calls).toEqual([7]);
  process.exit = ours;
  watchProcess()();
});
