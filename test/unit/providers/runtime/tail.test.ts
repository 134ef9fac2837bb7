// The end of what a child printed, which becomes evidence of how it ended.
import { expect, it } from 'vitest';
import { Tail } from '../../../../src/providers/runtime/supervisor/output.ts';

it('keeps a character that comes in two chunks, while another stream has one in between', () => {
  const tail = new Tail();
  const [stdout, stderr] = [tail.ofStream(), tail.ofStream()];
  const bytes = Buffer.from('Größe');
  stdout(bytes.subarray(0, 3));
  stderr(Buffer.from('! '));
  stdout(bytes.subarray(3));
  expect(tail.text()).toBe('Gr! öße');
});

it('keeps the last 16 KiB', () => {
  const tail = new Tail();
  const stream = tail.ofStream();
  stream(Buffer.from('a'.repeat(16_384)));
  stream(Buffer.from('end'));
  expect(tail.text()).toBe(`${'a'.repeat(16_381)}end`);
});
