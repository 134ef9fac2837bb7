import { describe, expect, it } from 'vitest';
import { createLogBuffer, markerLine } from '../../../../src/store/builds/log-buffer.ts';

const limits = { headBytes: 20, tailBytes: 20 };
const forever = new AbortController().signal;
/** Ten bytes each. */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${String(index).padStart(4, '0')}\n`);

describe('a head and a tail are kept', () => {
  const marker = (bytes: number) => String(markerLine(bytes));
  const cases = [
    { reason: 'an empty log', count: 0, want: [] },
    { reason: 'a log that fits into the head', count: 1, want: ['0000'] },
    { reason: 'a log that fits into head and tail', count: 3, want: ['0000', '0001', '0002'] },
    // Where the ring begins is not known to be the beginning of a line: the next one is.
    { reason: 'a longer log', count: 5, want: ['0000', 30, '0004'] },
    { reason: 'a much longer log', count: 1_000, want: ['0000', 9_980, '0999'] },
  ];
  it.each(cases)('$reason', ({ count, want }) => {
    const buffer = createLogBuffer({ headBytes: 15, tailBytes: 20 });
    for (const each of numbered(count)) buffer.append(Buffer.from(each));
    const lines = want.map((each) => (typeof each === 'number' ? marker(each) : `line ${each}\n`));
    expect(String(buffer.content())).toBe(lines.join(''));
  });

  it('reports the exact number of omitted lines', () => {
    const whole = numbered(500).join('');
    for (const size of [1, 2, 3, 7, 100, 500]) {
      const buffer = createLogBuffer({ headBytes: 64, tailBytes: 97 });
      const lines = numbered(500);
      while (lines.length > 0) buffer.append(Buffer.from(lines.splice(0, size).join('')));
      const [, head = '', missing, tail = ''] =
        /^([^[]*)\[\.\.\. (\d+) bytes.*\n([^[]*)$/.exec(String(buffer.content())) ?? [];
      expect(head.length + Number(missing) + tail.length).toBe(whole.length);
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      expect(head.endsWith('\n') && tail.startsWith('line ')).toBe(true);
    }
  });
});

describe('readers', () => {
  it('get the buffered lines, then new lines, then the end', async () => {
    const buffer = createLogBuffer(limits);
    buffer.append(Buffer.from('one\n'));
    const got = collect(buffer.read(forever));
    await Promise.resolve();
    buffer.append(Buffer.from('two\n'));
    buffer.end();
    expect(await got).toBe('one\ntwo\n');
  });

  it('that keep up get all of a log that is much longer than the buffer', async () => {
    const buffer = createLogBuffer(limits);
    const reader = buffer.read(forever);
    for (const each of numbered(100)) {
      const next = reader.next();
      buffer.append(Buffer.from(each));
      expect(String((await next).value)).toBe(each);
    }
  });

  it('that fall behind get the number of omitted lines, and continue at the current position', async () => {
    const buffer = createLogBuffer(limits);
    const reader = buffer.read(forever);
    buffer.append(Buffer.from('first\n'));
    await reader.next();
    for (const each of numbered(100)) buffer.append(Buffer.from(each));
    buffer.end();
    expect(await collect(reader)).toBe(`line 0000\n${String(markerLine(980))}line 0099\n`);
  });

  it('end when they disconnect, without blocking', async () => {
    const buffer = createLogBuffer(limits);
    const leaving = new AbortController();
    const got = collect(buffer.read(leaving.signal));
    leaving.abort();
    expect(await got).toBe('');
  });

  it('get a message when the log becomes unreadable', async () => {
    const buffer = createLogBuffer(limits);
    buffer.append(Buffer.from('one\n'));
    buffer.end(new Error('broken'));
    const reader = buffer.read(forever);
    expect(String((await reader.next()).value)).toBe('one\n');
    await expect(reader.next()).rejects.toThrow('broken');
  });
});

async function collect(pieces: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece.toString();
  return text;
}
