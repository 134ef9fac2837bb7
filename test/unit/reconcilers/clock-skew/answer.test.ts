// Since when the answers to an event blame a clock.
import { expect, it } from 'vitest';
import type { Answer } from '../../../../src/events/protocol.ts';
import { withClockSkew } from '../../../../src/reconcilers/clock-skew/answer.ts';
import { aClaim, now, secondsLater } from '../../../support/fixtures/builders.ts';

const failed = (code: string, more: object = {}): Answer => ({
  kind: 'failed',
  terminal: false,
  code,
  message: 'x',
  ...more,
});
const skewed = failed('clock_skew');
const earlier = secondsLater(-60).toISOString();

const cases: Record<string, [Answer, before: string | undefined, after: string | undefined]> = {
  'begins with the first such answer': [skewed, undefined, now.toISOString()],
  'goes on with the next one': [skewed, earlier, earlier],
  'goes on without an answer': [failed('TIMEOUT', { unanswered: true }), earlier, earlier],
  'ends with a success': [{ kind: 'succeeded', outputs: {} }, earlier, undefined],
  'ends with an operation': [{ kind: 'later', retryAfterMs: 1_000 }, earlier, undefined],
  'ends with another failure': [failed('handler_error'), earlier, undefined],
  'ends with a permanent failure of a handler': [
    failed('clock_skew', { terminal: true }),
    earlier,
    undefined,
  ],
};

it.each(Object.entries(cases))('%s', (_name, [answer, before, after]) => {
  const event = aClaim(before === undefined ? {} : { skewedAt: before });
  const next = withClockSkew(event, answer, now);
  expect(next).toEqual(aClaim(after === undefined ? {} : { skewedAt: after }));
});
