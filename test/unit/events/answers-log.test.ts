// The lines of a log that failures carry are untrusted: bounded, and safe for a terminal.
import { expect, it } from 'vitest';
import { interpret } from '../../../src/events/answers.ts';

function logOf(status: number, log: unknown): unknown {
  const body = Buffer.from(
    JSON.stringify({ error: { code: 'x', message: 'no' }, outputs: {}, log }),
  );
  const raw = { status, retryAfter: undefined, body };
  const answer = interpret(raw, { deleting: false, now: new Date(0) });
  return answer.kind === 'failed' ? answer.log : undefined;
}

const many = Array.from({ length: 60 }, (_each, at) => `line ${at}`);
const red = '\u001b[31m';

const cases: Record<string, { status?: number; log: unknown; want: unknown; reason: string }> = {
  'lines of a failure that is retried': {
    reason: 'The attempt may be the last one.',
    log: ['begins', 'ends'],
    want: ['begins', 'ends'],
  },
  'lines of a failure that is not': {
    reason: 'It becomes a dead letter at once.',
    status: 422,
    log: ['begins'],
    want: ['begins'],
  },
  'lines of a success': {
    reason: 'Nothing is to be explained.',
    status: 200,
    log: ['begins'],
    want: undefined,
  },
  'the last 50 lines': {
    reason: 'The end is next to the failure.',
    log: many,
    want: many.slice(-50),
  },
  '16 KiB at most': {
    reason: 'A dead letter is stored in etcd.',
    log: Array(20).fill('x'.repeat(2_000)),
    want: Array(8).fill('x'.repeat(2_000)),
  },
  'a line of 2 KiB at most': {
    reason: 'One line must not displace all others.',
    log: ['first', '€'.repeat(5_000)],
    want: ['first', expect.stringMatching(/^€{600,700}…$/)],
  },
  'one line for each': {
    reason: 'Nobody can write a line for another program or control a terminal.',
    log: [`two\nlines ${red}red`, ' '],
    want: ['two lines red'],
  },
  'no text': { reason: 'Answers can have anything.', log: [7, null, {}], want: undefined },
  'no list': { reason: 'Answers can have anything.', log: 'begins', want: undefined },
};

it.each(Object.entries(cases))('has %s', (_name, { status = 500, log, want, reason }) => {
  expect(logOf(status, log), reason).toEqual(want);
});

it.each([
  [503, true, true],
  [503, 'true', undefined],
  [422, true, undefined],
])('an answer %d with suspect %o: %o', (status, suspect, want) => {
  const body = Buffer.from(
    JSON.stringify({ error: { code: 'interrupted', message: '' }, suspect }),
  );
  const answer = interpret(
    { status, retryAfter: undefined, body },
    { deleting: false, now: new Date(0) },
  );
  expect(answer).toMatchObject({ kind: 'failed' });
  expect(answer.kind === 'failed' && answer.suspect).toBe(want);
});
