import { describe, expect, it } from 'vitest';
import {
  eventLog,
  formatFor,
  logStream,
  plainLog,
} from '../../../../src/http/response/log-stream.ts';
import { numbered } from '../../../../src/http/response/numbered-lines.ts';

const signal = new AbortController().signal;

describe('uses the requested format', () => {
  const cases = [
    { accept: '', want: plainLog },
    { accept: '*/*', want: plainLog },
    { accept: 'text/plain', want: plainLog },
    { accept: 'text/event-stream', want: eventLog },
    { accept: 'application/json, Text/Event-Stream;q=0.9', want: eventLog },
    { accept: 'text/event-streams', want: plainLog },
  ];
  it.each(cases)('$accept', ({ accept, want }) => {
    expect(formatFor(accept)).toBe(want);
  });
});

describe('formats a line as one event', () => {
  const cases = [
    { lines: 'one\n', want: 'id: 1\ndata: one\n\n' },
    { lines: 'one\ntwo\n', want: 'id: 1\ndata: one\n\nid: 2\ndata: two\n\n' },
    { lines: '\n', want: 'id: 1\ndata: \n\n' },
    { lines: 'windows\r\n', want: 'id: 1\ndata: windows\n\n' },
    { lines: '10%\r20%\n', want: 'id: 1\ndata: 10%\ndata: 20%\n\n' },
    { lines: 'x\revent: end\n', want: 'id: 1\ndata: x\ndata: event: end\n\n' },
    { lines: 'unended', want: 'id: 1\ndata: unended\n\n' },
  ];
  it.each(cases)('$lines', ({ lines, want }) => {
    const idOf = (index: number) => String(index + 1);
    expect(String(eventLog.lines({ bytes: Buffer.from(lines), idOf }))).toBe(want);
  });
});

describe('a stream', () => {
  it('sends keep-alives in every silence, and the end marker of its format', async () => {
    const slow = Promise.withResolvers<Buffer>();
    async function* pieces() {
      yield Buffer.from('one\n');
      yield await slow.promise;
    }
    const stream = logStream(numbered(pieces(), undefined), {
      format: eventLog,
      quietMs: 5,
      signal,
    });
    const next = async () => String((await stream.next()).value);
    expect([await next(), await next(), await next()]).toEqual([
      'id: 1\ndata: one\n\n',
      ': quiet\n\n',
      ': quiet\n\n',
    ]);
    slow.resolve(Buffer.from('two\n'));
    let rest = '';
    for await (const each of stream) rest += String(each);
    expect(rest.replaceAll(': quiet\n\n', '')).toBe('id: 2\ndata: two\n\nevent: end\ndata:\n\n');
  });

  it.each([
    ['events', eventLog, 'event: end\ndata: {"lines":0}\n\n'],
    ['plain text', plainLog, ''],
  ])(
    'ends with facts about the log, where the format has a place: %s',
    async (_name, format, want) => {
      const pieces: AsyncIterable<Buffer> = {
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.resolve({ done: true, value: undefined }),
        }),
      };
      const factsAtEnd = () => '{"lines":0}';
      const options = { format, quietMs: 60_000, signal, factsAtEnd };
      let text = '';
      for await (const each of logStream(numbered(pieces, undefined), options))
        text += String(each);
      expect(text).toBe(want);
    },
  );

  it('has no end marker when its reader has disconnected', async () => {
    const leaving = new AbortController();
    async function* pieces() {
      yield Buffer.from('one\n');
      await new Promise((resolve) => leaving.signal.addEventListener('abort', resolve));
    }
    const stream = logStream(numbered(pieces(), undefined), {
      format: eventLog,
      quietMs: 60_000,
      signal: leaving.signal,
    });
    await stream.next();
    const next = stream.next();
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('passes on errors of its source', async () => {
    const pieces: AsyncIterable<Buffer> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('broken')) }),
    };
    const stream = logStream(numbered(pieces, undefined), { format: plainLog, quietMs: 5, signal });
    await expect(stream.next()).rejects.toThrow('broken');
  });
});
