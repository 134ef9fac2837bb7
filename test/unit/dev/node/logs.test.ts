// The log of a container: how lines are recorded, and what readers get of them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createLogFile,
  forgetOldRuns,
  loggedRuns,
  logPath,
  readRecords,
  runToRead,
} from '../../../../src/dev/node/log-file.ts';
import {
  maxRecordLength,
  recordSplitter,
  rendered,
  tail,
} from '../../../../src/dev/node/log-lines.ts';
import { createJudge } from '../../../../src/dev/node/probes.ts';

const at = new Date('2026-01-01T00:00:00.123Z');
const stamp = '2026-01-01T00:00:00.123000000Z';

function records(...chunks: readonly string[]): Buffer {
  const splitter = recordSplitter('stdout');
  return Buffer.concat([
    ...chunks.map((each) => splitter.push(Buffer.from(each), at)),
    splitter.end(at),
  ]);
}

test.each([
  [['a\nb\n'], [`${stamp} stdout F a`, `${stamp} stdout F b`]],
  [['a', 'b\n'], [`${stamp} stdout F ab`]],
  [['a'], [`${stamp} stdout F a`]],
  [['\n'], [`${stamp} stdout F `]],
  [[''], []],
])('%j is recorded line by line', (chunks, lines) => {
  expect(
    records(...chunks)
      .toString()
      .split('\n')
      .slice(0, -1),
  ).toEqual(lines);
});

test.each([maxRecordLength - 1, maxRecordLength, maxRecordLength + 1, 3 * maxRecordLength + 7])(
  'a line of %i bytes comes back whole',
  (length) => {
    const line = `${'x'.repeat(length)}\n`;
    const written = records(line, 'next\n');
    expect(rendered(written, { timestamps: false }).toString()).toBe(`${line}next\n`);
    expect(rendered(tail(written, 2), { timestamps: true }).toString()).toBe(
      `${stamp} ${line}${stamp} next\n`,
    );
    expect(rendered(tail(written, 1), { timestamps: false }).toString()).toBe('next\n');
  },
);

test.each([
  [0, ''],
  [1, 'c\n'],
  [2, 'b\nc\n'],
  [9, 'a\nb\nc\n'],
])('the last %i lines are %j', (lines, text) => {
  expect(rendered(tail(records('a\nb\nc\n'), lines), { timestamps: false }).toString()).toBe(text);
});

test('lines before a time are omitted', () => {
  const written = records('a\n');
  expect(rendered(written, { timestamps: false, since: at.getTime() }).toString()).toBe('a\n');
  expect(rendered(written, { timestamps: false, since: at.getTime() + 1 }).toString()).toBe('');
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const clock = { now: () => at, monotonic: () => 0 };

test('a log keeps the latest lines, and at most twice its size', () => {
  const path = logPath(folder, 'a', 0);
  const log = createLogFile(path, { clock, maxBytes: 1_000 });
  for (let n = 0; n < 200; n += 1) log.write('stdout', Buffer.from(`line ${n}\n`));
  log.end();
  const kept = readRecords(path);
  expect(kept.length).toBeGreaterThan(900);
  expect(kept.length).toBeLessThan(2_000);
  expect(rendered(tail(kept, 1), { timestamps: false }).toString()).toBe('line 199\n');
});

test('a follower of a log receives new lines, and its end', () => {
  const log = createLogFile(logPath(folder, 'a', 0), { clock });
  const received: string[] = [];
  log.write('stdout', Buffer.from('before\n'));
  log.follow(
    (written) => received.push(rendered(written, { timestamps: false }).toString()),
    () => received.push('end'),
  );
  log.write('stderr', Buffer.from('after\nunended'));
  log.end();
  expect(received).toEqual(['after\n', 'unended\n', 'end']);
});

test('the previous run is kept when the next begins, and older ones are removed', () => {
  for (const run of [8, 9, 10]) createLogFile(logPath(folder, 'a', run), { clock }).end();
  forgetOldRuns(folder, 'a');
  expect(loggedRuns(folder, 'a')).toEqual([10]);
  expect(readdirSync(join(folder, 'logs', 'a'))).toEqual(['10.log']);
});

test.each([
  ['the present run', [2, 1], { previous: false, isWaiting: false }, 2],
  ['the run before', [2, 1], { previous: true, isWaiting: false }, 1],
  ['the run that ended, while the next one waits', [2], { previous: true, isWaiting: true }, 2],
  ['the same run as the present one', [2], { previous: false, isWaiting: true }, 2],
  ['nothing, when there was no restart', [0], { previous: true, isWaiting: false }, undefined],
  ['nothing, before the first start', [], { previous: true, isWaiting: true }, undefined],
])('reads %s', (_what, runs, asked, want) => {
  expect(runToRead(runs, asked)).toBe(want);
});

test.each([
  ['the first success', {}, 'y', 'Y'],
  ['three failures in a row', {}, 'ynnynnn', 'Y.....N'],
  ['nothing new', {}, 'yyy', 'Y..'],
  ['as many failures as it takes', { failureThreshold: 2 }, 'nnynyynn', '.NY....N'],
])('a probe reports %s', (_what, probe, looks, want) => {
  const judge = createJudge({ httpGet: { path: '/', port: 80 }, ...probe });
  const judged = looks.split('').map((look) => (judge(look === 'y') ? look.toUpperCase() : '.'));
  expect(judged.join('')).toBe(want);
});
