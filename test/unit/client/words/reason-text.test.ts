import { describe, expect, it } from 'vitest';
import { codesText, reasonParts, saidOnce } from '../../../../src/client/words/reason-text.ts';
import { failureReasons } from '../../../../src/domain/explanation.ts';

const local = (time: string) => new Date(time).toTimeString().slice(0, 8);
const due = '2026-01-31T12:05:16.922Z';

const cases: readonly (readonly [string, string | null, string | null])[] = [
  ['first has no output [UnknownOutput]', 'UnknownOutput', 'UNKNOWN_OUTPUT: first has no output'],
  ['config.x: too long [InvalidConfig]', 'InvalidConfig', 'INVALID_CONFIG: config.x: too long'],
  [
    'Nobody can be greeted [ProviderFailed, nobody]',
    'ProviderFailed',
    'nobody: Nobody can be greeted',
  ],
  [
    'connect ECONNREFUSED 127.0.0.1:5432 (attempt 8 of 8) [AttemptsExhausted, handler_error]',
    'AttemptsExhausted',
    'handler_error: connect ECONNREFUSED 127.0.0.1:5432 (attempt 8 of 8)',
  ],
  [
    `refused; attempt 6 follows at ${local(due)} [RetryScheduled, handler_error]`,
    'RetryScheduled',
    `Attempt 5 failed: handler_error: refused; attempt 6 follows at ${due}`,
  ],
  // The times of a wrong clock are what it is about.
  [`the time is ${due} [ClockSkew]`, 'ClockSkew', `clock_skew: the time is ${due}`],
  ['spec.paused: is true [Paused]', 'Paused', 'spec.paused: is true'],
  ['Queued', 'Queued', null],
  ['Queued', 'Queued', ''],
  ['a text', null, 'a text'],
  ['', null, null],
];

it.each(cases)('writes "%s"', (text, reason, message) => {
  const { sentence, codes } = reasonParts(reason, message);
  expect(`${sentence}${codesText(codes)}`).toBe(text);
});

it('says each code once, for every reason', () => {
  for (const reason of failureReasons) {
    const code = reason.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
    expect(reasonParts(reason, `${code}: no`)).toEqual({ sentence: 'no', codes: [reason] });
  }
});

describe('a chain', () => {
  const link = (reason: string | null, message: string | null) => ({
    ...{ kind: 'resource', ref: 'a/b/c', state: 'failed', since: null, via: null },
    ...{ reason, message },
  });
  const cause = link('AttemptsExhausted', 'The disk is full');
  const code = link('AttemptsExhausted', null);

  it.each([
    ['a code without a message, which the cause has', [cause, code], [cause, link(null, null)]],
    ['what the summary says', [link('InProgress', 'Waits')], [link(null, null)]],
    ['nothing else', [cause, link('DependencyFailed', 'a failed')], undefined],
  ])('says once: %s', (_name, chain, expected) => {
    const found = { summary: 'a/b/c has failed: waits', chain } as Parameters<typeof saidOnce>[0];
    expect(saidOnce(found)).toEqual(expected ?? chain);
  });
});
