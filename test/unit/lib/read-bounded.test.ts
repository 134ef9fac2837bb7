import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readBounded } from '../../../src/lib/read-bounded.ts';

const tooLarge = () => new Error('too large');

it('reads up to the limit', async () => {
  const stream = Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
  expect((await readBounded(stream, 4, tooLarge)).toString()).toBe('abcd');
});

it('stops a stream one byte beyond the limit', async () => {
  let read = 0;
  function* endless(): Generator<Buffer> {
    for (;;) {
      read += 1;
      yield Buffer.from('ab');
    }
  }
  const stream = Readable.from(endless(), { highWaterMark: 1 });
  await expect(readBounded(stream, 3, tooLarge)).rejects.toThrow('too large');
  expect(stream.destroyed).toBe(true);
  expect(read).toBeLessThan(5);
});
