import { describe, expect, it } from 'vitest';
import { lineSplitter, maxLineLength, resumption, timed } from '../../../src/kube/log-lines.ts';

describe('lines are complete for any split of their bytes', () => {
  const cases = [
    { reason: 'one piece', chunks: ['a\nb\n'], want: ['a\n', 'b\n'] },
    { reason: 'a line in three pieces', chunks: ['a', 'b', 'c\n'], want: ['abc\n'] },
    { reason: 'a newline of its own', chunks: ['a', '\n'], want: ['a\n'] },
    { reason: 'empty lines count', chunks: ['\n\n', 'a\n'], want: ['\n', '\n', 'a\n'] },
    { reason: 'the last one without newline', chunks: ['a\nb'], want: ['a\n', 'b\n'] },
    { reason: 'nothing', chunks: [''], want: [] },
  ];
  it.each(cases)('$reason', ({ chunks, want }) => {
    expect(split(chunks)).toEqual(want);
  });

  it('keeps characters complete when their bytes are split', () => {
    const bytes = Buffer.from('grüße\n');
    const splitter = lineSplitter();
    const lines = [...bytes].flatMap((byte) => splitter.push(Uint8Array.of(byte)));
    expect(lines.map(String)).toEqual(['grüße\n']);
  });

  it('truncates a long line, with the number of omitted bytes, and continues with the next', () => {
    const [long, next] = split(['x'.repeat(maxLineLength), 'y'.repeat(1_000), '\nnext\n']);
    expect(long).toBe(`${'x'.repeat(maxLineLength)} [... 1000 more bytes of this line]\n`);
    expect(next).toBe('next\n');
  });
});

function split(chunks: readonly string[]): string[] {
  const splitter = lineSplitter();
  const lines = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  return [...lines, ...[splitter.end() ?? []].flat()].map(String);
}

describe('the timestamp of a line is removed', () => {
  const cases = [
    { line: '2026-01-31T12:00:00.123456789Z text\n', text: 'text\n', nanos: '123456789' },
    { line: '2026-01-31T12:00:00.1Z  two spaces\n', text: ' two spaces\n', nanos: '100000000' },
    { line: '2026-01-31T12:00:00Z \n', text: '\n', nanos: '000000000' },
    { line: '2026-01-31T12:00:00Z\n', text: '\n', nanos: '000000000' },
    { line: '2026-01-31T14:00:00.5+02:00 text\n', text: 'text\n', nanos: '500000000' },
  ];
  it.each(cases)('$line', ({ line, text, nanos }) => {
    const seconds = Date.parse('2026-01-31T12:00:00Z') / 1_000;
    const { time, text: rest } = timed(Buffer.from(line));
    expect({ time, rest: String(rest) }).toEqual({ time: `0${seconds}.${nanos}`, rest: text });
  });

  it.each(['text\n', '2026-01-31 text\n', '2026-13-31T12:00:00Z text\n', '\n'])(
    'and a line without one is unchanged: %j',
    (line) => {
      const { time, text } = timed(Buffer.from(line));
      expect({ time, text: String(text) }).toEqual({ time: undefined, text: line });
    },
  );
});

describe('an interrupted stream continues without loss and without repetition', () => {
  const at = (second: number, nanos = '0') =>
    `${String(second).padStart(11, '0')}.${nanos.padStart(9, '0')}`;
  const [a, b, c] = [at(100, '1'), at(100, '2'), at(101, '1')] as const;
  const cases = [
    { reason: 'no earlier lines', first: [], again: [a, b], since: undefined, news: [a, b] },
    { reason: 'all lines repeated', first: [a, b], again: [a, b], since: 99, news: [] },
    { reason: 'some lines repeated', first: [a, b], again: [a, b, c], since: 99, news: [c] },
    {
      reason: 'two of three lines with one timestamp repeated',
      first: [a, a],
      again: [a, a, a],
      since: 99,
      news: [a],
    },
    {
      reason: 'a line slightly older than the newest earlier one',
      first: [a, c],
      again: [a, c, b],
      since: 100,
      news: [b],
    },
    {
      reason: 'a rotated log without the earlier lines',
      first: [a, b],
      again: [c],
      since: 99,
      news: [c],
    },
    {
      reason: 'a server that ignores the start time',
      first: [at(90), a],
      again: [at(90), a, c],
      since: 99,
      news: [c],
    },
  ];
  it.each(cases)('$reason', ({ first, again, since, news }) => {
    const lines = resumption();
    for (const each of first) expect(lines.isNew(each)).toBe(true);
    const iso = since === undefined ? since : `1970-01-01T00:01:${since - 60}Z`;
    expect(lines.again()).toBe(iso);
    expect(again.filter((each) => lines.isNew(each))).toEqual(news);
  });

  it('may be interrupted any number of times', () => {
    const lines = resumption();
    const all = Array.from({ length: 50 }, (_, index) => at(100 + Math.floor(index / 10), '7'));
    const got: string[] = [];
    for (let end = 1; end <= all.length; end += 1) {
      const since = lines.again();
      const from = since === undefined ? 0 : Date.parse(since) / 1_000;
      const stream = all.slice(0, end).filter((each) => Number(each) >= from);
      got.push(...stream.filter((each) => lines.isNew(each)));
    }
    expect(got).toEqual(all);
  });

  it('keeps the rest of a long line with its beginning', () => {
    const lines = resumption();
    expect([lines.isNew(a), lines.isNew(undefined)]).toEqual([true, true]);
    lines.again();
    expect([lines.isNew(a), lines.isNew(undefined)]).toEqual([false, false]);
    expect([lines.isNew(c), lines.isNew(undefined)]).toEqual([true, true]);
  });

  it('remembers a bounded number of timestamps, without repetition', () => {
    const lines = resumption(10);
    const all = Array.from({ length: 95 }, (_, index) => at(100, String(index)));
    for (const each of all) lines.isNew(each);
    lines.again();
    expect([...all, c].filter((each) => lines.isNew(each))).toEqual([c]);
  });
});
