// The lines that a failure carries: the last ones, bounded, without stacks and paths.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { provider } from '../../../../src/sdk/index.ts';
import { contextMask } from '../../../../src/sdk/logs/context-mask.ts';
import { keepLines } from '../../../../src/sdk/logs/kept-lines.ts';
import { watchOutput } from '../../../../src/sdk/logs/printed.ts';
import type { Reply } from '../../../../src/sdk/serve/reply.ts';

const failed: Reply = { status: 500, body: { error: { code: 'handler_error', message: 'no' } } };

const ends: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-31T12:00:00.000Z') });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
  vi.restoreAllMocks();
});

function keeping() {
  const written: unknown[] = [];
  const write = (...line: unknown[]) => void written.push(line);
  const log = { debug: write, info: write, warn: write, error: write };
  const mask = contextMask(provider('shop').types(), { settings: [] });
  const kept = keepLines(log, { mask, codeFolder: '/workspace/code' });
  const end = watchOutput();
  const print = (...texts: string[]) => {
    kept.run(() => {
      for (const text of texts) process.stderr.write(text);
    });
  };
  ends.push(end);
  return {
    ...kept,
    print,
    written,
    lines: () => (kept.addTo(failed).body as { log?: string[] }).log,
  };
}

it('shows time, level, message and fields in one line, and writes them as before', () => {
  const { log, lines, written } = keeping();
  const error = new Error("open '/workspace/code/a.txt'");
  error.stack = `Error: open '/workspace/code/a.txt'\n    at f (/workspace/code/index.ts:3:1)`;
  log.info('begins');
  log.warn('two\nlines', { size: 3n });
  log.error('fails', { error });
  expect(lines()).toEqual([
    '2026-01-31T12:00:00.000Z info begins',
    '2026-01-31T12:00:00.000Z warn two lines {"size":"3"}',
    `2026-01-31T12:00:00.000Z error fails {"error":"Error: open 'a.txt' (index.ts:3)"}`,
  ]);
  expect(written).toEqual([
    ['begins', undefined],
    ['two\nlines', { size: 3n }],
    ['fails', { error }],
  ]);
});

it('is part of failures only', () => {
  const { log, addTo } = keeping();
  expect(addTo(failed)).toEqual(failed);
  log.info('begins');
  const made: Reply = { status: 200, body: { outputs: {} } };
  expect(addTo(made)).toEqual(made);
  const later: Reply = { status: 202, body: { retry_after: 5 } };
  expect(addTo(later)).toEqual(later);
});

it('keeps the last 50 lines', () => {
  const { log, lines } = keeping();
  for (let at = 0; at < 60; at += 1) log.info(`line ${at}`);
  expect(lines()).toHaveLength(50);
  expect(lines()?.[0]).toMatch(/ line 10$/);
});

it('keeps 16 KiB, and cuts long lines', () => {
  const { log, lines } = keeping();
  for (let at = 0; at < 20; at += 1) log.info('€'.repeat(3_000));
  log.info('last');
  const kept = lines() ?? [];
  expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(16 * 1_024);
  expect(kept).toHaveLength(3);
  expect(kept[0]).toMatch(/€…$/);
  expect(kept.at(-1)).toMatch(/ last$/);
});

it('keeps of a printed stack the places in the code, without the folder', () => {
  const { print, lines } = keeping();
  print(
    [
      "Error: open '/workspace/code/a.txt'",
      '    at create (file:///workspace/code/index.ts:3:1)',
      '    at f (/workspace/code/node_modules/pg/index.js:3:1)',
      '    at node:internal/process/task_queues:95:5',
      '',
      '  it meets at noon',
      '',
    ].join('\n'),
  );
  expect(lines()).toEqual([
    "Error: open 'a.txt'",
    ' at create (index.ts:3:1)',
    ' it meets at noon',
  ]);
});

it('cuts a printed line of any length with an ellipsis, so that the beginning of a secret is found', () => {
  const { print, lines } = keeping();
  print(
    `${' '.repeat(3_000)}${'x'.repeat(1_000)}`,
    'y'.repeat(2_000),
    `${'z'.repeat(9_000)}\nnext\n`,
  );
  print('/workspace/code/'.repeat(200), 'no end');
  const kept = lines() ?? [];
  expect(kept).toHaveLength(3);
  expect(kept[1]).toBe('next');
  expect(kept[2]).toMatch(/^\S{0,16}…$/);
  expect(kept[0]).toMatch(/^ x{1000}y{1046}…$/);
});

it('ends with the answer', () => {
  const { print, lines } = keeping();
  print('in time\n');
  expect(lines()).toEqual(['in time']);
  print('late\n');
  expect(lines()).toEqual(['in time']);
});
