// Suspects of one provider are delivered alone, one after the other; other events wait for a bounded time.
import { beforeEach, expect, it } from 'vitest';
import {
  createIsolation,
  drainMs,
  type Isolation,
} from '../../../../src/reconcilers/crashes/isolation.ts';
import { type ManualTime, manualTime } from '../../../support/runner/manual-time.ts';

const shop = 'fl-acme/shop';
let urls: string[];
let loads: Map<string, number>;
let reserved: Set<string>;
let freed: string[];
let released: number;
let time: ManualTime;
let isolation: Isolation;

beforeEach(() => {
  urls = ['one'];
  loads = new Map();
  reserved = new Set();
  freed = [];
  released = 0;
  time = manualTime();
  isolation = createIsolation({
    endpoints: {
      urls: () => urls,
      load: (url) => loads.get(url) ?? 0,
      reserve: (url) => void reserved.add(url),
      release: (url) => void reserved.delete(url),
    },
    timers: time.timers,
    onFree: (key) => void freed.push(key),
    onRelease: () => {
      released += 1;
    },
  });
});

const enter = (key: string) => isolation.enter(shop, key);
const taken = () => freed.splice(0);

it('lets one go at once into an idle pod, and the next after it', () => {
  expect(enter('a')).toEqual({ enter: 'go', url: 'one' });
  expect(enter('b')).toMatchObject({ enter: 'queued' });
  expect([isolation.reserved(shop), isolation.waiting(shop), [...reserved]]).toEqual([
    1,
    2,
    ['one'],
  ]);
  isolation.leave(shop);
  expect(taken()).toEqual(['b']);
  expect([released, reserved.size]).toEqual([1, 0]);
  expect(enter('b')).toEqual({ enter: 'go', url: 'one' });
  isolation.leave(shop);
  expect([isolation.reserved(shop), isolation.waiting(shop)]).toEqual([0, 0]);
});

it('waits for the least busy pod to become idle, which gets no other events meanwhile', () => {
  urls = ['one', 'two'];
  loads = new Map([
    ['one', 3],
    ['two', 1],
  ]);
  expect(enter('a')).toMatchObject({ enter: 'queued' });
  expect([...reserved]).toEqual(['two']);
  isolation.idle('one');
  expect(taken()).toEqual([]);
  loads.set('two', 0);
  isolation.idle('two');
  expect(taken()).toEqual(['a']);
  expect(enter('a')).toEqual({ enter: 'go', url: 'two' });
});

it('takes another pod when the reserved one is gone', () => {
  urls = ['one', 'two'];
  loads = new Map([['two', 1]]);
  loads.set('one', 1);
  enter('a');
  const [first = ''] = reserved;
  urls = urls.filter((url) => url !== first);
  loads.set(first, 0);
  isolation.idle(first);
  expect(taken()).toEqual(['a']);
  expect(enter('a')).toMatchObject({ enter: 'queued' });
  expect([...reserved]).toEqual(urls);
});

it('gives a pod back that does not become idle in time, and tries again after as long', () => {
  loads.set('one', 1);
  enter('a');
  enter('b');
  time.pass(drainMs);
  expect([released, reserved.size, isolation.reserved(shop)]).toEqual([1, 0, 0]);
  expect(enter('c')).toMatchObject({ enter: 'queued' });
  expect(reserved.size).toBe(0);
  time.pass(drainMs);
  expect(taken()).toEqual(['a', 'b', 'a', 'c']);
  loads.set('one', 0);
  expect(enter('b')).toEqual({ enter: 'go', url: 'one' });
});

it('does not wait for one whose event has ended meanwhile', () => {
  enter('a');
  enter('gone');
  enter('b');
  isolation.leave(shop);
  expect(taken()).toEqual(['gone', 'b']);
  expect(enter('b')).toEqual({ enter: 'go', url: 'one' });
});

it('has no pod for a provider that runs elsewhere', () => {
  urls = [];
  expect(enter('a')).toEqual({ enter: 'nowhere' });
});
