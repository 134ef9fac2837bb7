// The attempts of an event on a line: made, under way and to come.
import type { Explanation, ResourceRecord } from '../../../../api/shapes.ts';
import { stateLooks } from '../../../../client/state-look.ts';
import { errorParts } from '../../../../client/words/reason-text.ts';
import { Ago, Countdown } from '../../../components/time.tsx';
import { text } from '../text.ts';
import { attemptsOf, type MarkedAttempt } from './attempt-marks.ts';

interface AttemptsProps {
  readonly record: ResourceRecord;
  readonly explanation: Explanation;
  readonly event: NonNullable<Explanation['event']>;
}

export function Attempts({ record, explanation, event }: AttemptsProps) {
  const { state, reason } = explanation;
  const attempts = attemptsOf({ event, state, reason, error: record.error });
  return (
    <section>
      <h2>
        {text('resource.attempts', { event: event.event_type })}{' '}
        <code class="quiet">{event.event_id}</code>
      </h2>
      <ol class="attempts">
        {attempts.map((attempt) => (
          <AttemptMark key={attempt.number} attempt={attempt} until={event.next_attempt_at} />
        ))}
      </ol>
    </section>
  );
}

const signs = {
  failed: stateLooks.failed.sign,
  current: stateLooks.processing.sign,
  next: stateLooks.pending.sign,
  coming: stateLooks.pending.sign,
  unused: '–',
} as const;

function AttemptMark({ attempt, until }: { attempt: MarkedAttempt; until: string | null }) {
  const { number, mark, message, at } = attempt;
  const parts = errorParts(message ?? text('resource.attempt.forgotten'));
  const isTimed = (mark === 'next' || mark === 'current') && until !== null;
  return (
    <li class={mark}>
      <span class="sign" aria-hidden="true">
        {signs[mark]}
      </span>
      <span class="attempt">
        {text(`resource.attempt.${mark === 'current' && isTimed ? 'asked' : mark}`, { number })}
        {isTimed && (
          <>
            {' '}
            <Countdown until={until} />
          </>
        )}
        {at !== undefined && (
          <>
            {' '}
            <Ago time={at} />
          </>
        )}
        {(mark === 'failed' || message !== undefined) && (
          <span class="pre message">
            {parts.sentence} <code class="quiet">{parts.codes.join(' ')}</code>
          </span>
        )}
      </span>
    </li>
  );
}
