// One event that failed permanently: its error, the payload that was sent, and its retry.

import type { DeadLetterDetail } from '../../../api/shapes.ts';
import { errorParts } from '../../../client/words/reason-text.ts';
import { shellWord } from '../../../client/words/shell-word.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { Action } from '../../components/action.tsx';
import { CommandLine } from '../../components/command-line.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { Title } from '../../components/title.tsx';
import { usePolled } from '../../live/polled.ts';
import { goTo, hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { notify } from '../../shell/notices.tsx';
import { leftByEvent } from './left-behind.ts';
import { text } from './text.ts';

const everyMs = 5_000;

export function EventPage({ eventId }: { readonly eventId: string }) {
  const polled = usePolled({
    key: eventId,
    everyMs,
    load: (signal) => call('getDeadLetter', { path: { event_id: eventId }, signal }),
  });
  const event = polled.value.value;
  const { value: error } = polled.error;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <>
      <Title title={text('dead-letters.one', { event: eventId })} />
      {isGone && <p class="empty">{text('dead-letters.gone')}</p>}
      {!isGone && <ErrorBox error={error} />}
      {event === undefined && error === undefined && <Loading />}
      {event !== undefined && !isGone && <EventFacts event={event} />}
      <CommandLine
        commands={[
          `fairlead dead-letters get ${shellWord(eventId)}`,
          `fairlead dead-letters retry ${shellWord(eventId)}`,
        ]}
      />
    </>
  );
}

function EventFacts({ event }: { readonly event: DeadLetterDetail }) {
  const { provider, resource_type: type, resource_name: name, event_id, payload } = event;
  const shown = JSON.stringify(payload, null, 2);
  const path = { event_id };
  const tuple = [provider, type, name];
  const leftover = leftByEvent(event);
  const retry = async () => {
    await call('retryDeadLetter', { path });
    notify(text('dead-letters.retry-accepted'));
    goTo(hrefTo('resource', tuple));
  };
  const remove = async () => {
    await call('deleteDeadLetter', { path });
    notify(text('dead-letters.event-deleted'));
    goTo(hrefTo('dead-letters', [], { cause: event.cause }));
  };
  return (
    <>
      <div class="error-box">
        <p class="pre">{errorParts(event.error_message).sentence}</p>
      </div>
      <dl class="facts">
        <dt>{text('dead-letters.resource')}</dt>
        <dd>
          <a href={hrefTo('resource', tuple)}>{tuple.join('/')}</a>
        </dd>
        <dt>{text('dead-letters.event')}</dt>
        <dd>{event.event_type}</dd>
        <dt>{text('dead-letters.attempts')}</dt>
        <dd>{event.attempt_count}</dd>
        <dt>{text('dead-letters.failed')}</dt>
        <dd>
          <Ago time={event.failed_at} />
        </dd>
        {leftover !== undefined && (
          <>
            <dt>{text('dead-letters.exists')}</dt>
            <dd>{leftover}</dd>
          </>
        )}
        <dt>{text('dead-letters.cause')}</dt>
        <dd>
          <a href={hrefTo('dead-letters', [], { cause: event.cause })}>
            {event.error_code} {event.cause}
          </a>
        </dd>
        <dt>{text('dead-letters.log')}</dt>
        <dd>
          <a href={hrefTo('providers', [provider], { show: 'logs', event: event_id })}>
            {text('dead-letters.log-of-event')}
          </a>
        </dd>
      </dl>
      {event.superseded && <p>{text('dead-letters.superseded-event')}</p>}
      <p class="actions">
        {may('retryDeadLetter') && !event.superseded && (
          <Action kind="primary" run={retry}>
            {text('dead-letters.retry-event')}
          </Action>
        )}
        {may('deleteDeadLetter') && (
          <Action kind="danger" run={remove}>
            {text('dead-letters.delete-event')}
          </Action>
        )}
      </p>
      {event.log_excerpt !== null && event.log_excerpt.length > 0 && (
        <section aria-label={text('dead-letters.excerpt')}>
          <h2>{text('dead-letters.excerpt')}</h2>
          <pre class="block" tabIndex={0}>
            {event.log_excerpt.join('\n')}
          </pre>
        </section>
      )}
      <section aria-label={text('dead-letters.payload')}>
        <h2>
          {text('dead-letters.payload')}{' '}
          <CopyButton value={shown} what={text('dead-letters.payload')} />
        </h2>
        <pre class="block" tabIndex={0}>
          {shown}
        </pre>
      </section>
    </>
  );
}
