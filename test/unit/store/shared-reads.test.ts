import { expect, it } from 'vitest';
import { sharedReads } from '../../../src/store/shared-reads.ts';

function reading() {
  const begun: { key: string; answer: PromiseWithResolvers<string> }[] = [];
  const read = sharedReads((key) => {
    const answer = Promise.withResolvers<string>();
    begun.push({ key, answer });
    return answer.promise;
  });
  const turn = () => new Promise((turned) => setImmediate(turned));
  return { read, begun, turn };
}

it('gives every caller a read that began after its call, and runs one at a time', async () => {
  const { read, begun, turn } = reading();
  const first = read('a');
  const later = [read('a'), read('a')];
  await turn();
  expect(begun.length).toBe(1);
  begun[0]?.answer.resolve('old');
  expect(await first).toBe('old');
  await turn();
  expect(begun.length).toBe(2);
  const last = read('a');
  begun[1]?.answer.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new']);
  await turn();
  begun[2]?.answer.resolve('newest');
  expect(await last).toBe('newest');
  expect(begun.length).toBe(3);
});

it('reads again for those who called during a read that failed', async () => {
  const { read, begun, turn } = reading();
  const first = read('a');
  const later = read('a');
  begun[0]?.answer.reject(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await turn();
  begun[1]?.answer.resolve('there');
  expect(await later).toBe('there');
  const next = read('a');
  begun[2]?.answer.resolve('again');
  expect(await next).toBe('again');
});

it('reads different keys at the same time', async () => {
  const { read, begun } = reading();
  const both = Promise.all([read('a'), read('b')]);
  for (const { key, answer } of begun) answer.resolve(key);
  expect(await both).toEqual(['a', 'b']);
});
