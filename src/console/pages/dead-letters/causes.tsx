// The causes of the dead letters, most frequent first, each with what can be done about all of its events.
import { useSignal } from '@preact/signals';
import type { DeadLetterCause } from '../../../api/shapes.ts';
import { causeMessage } from '../../../client/words/dead-letter-cause.ts';
import { errorParts } from '../../../client/words/reason-text.ts';
import { call } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { numberText } from '../../text.ts';
import { DeleteDeadLettersDialog } from './delete-dialog.tsx';
import { RetryDialog } from './retry-dialog.tsx';
import { counted, text } from './text.ts';

const everyMs = 2_000;

/** @param cause only this one */
export function DeadLetterCauses({ cause }: { readonly cause: string | undefined }) {
  const polled = usePolled({
    key: cause ?? '',
    everyMs,
    load: async (signal) => {
      const query = { group_by: 'error' as const, cause };
      return (await call('listDeadLetters', { query, signal })) as readonly DeadLetterCause[];
    },
  });
  // Not in the card: that of a cause whose events are all retried is gone.
  const dialog = useSignal<Dialog | undefined>(undefined);
  const causes = polled.value.value;
  if (causes === undefined) {
    return polled.error.value === undefined ? <Loading /> : <ErrorBox error={polled.error.value} />;
  }
  const close = () => {
    dialog.value = undefined;
    void polled.reload();
  };
  return (
    <section aria-label={text('dead-letters.causes')}>
      <ErrorBox error={polled.error.value} />
      {causes.length === 0 && (
        <p class="empty">
          {text(cause === undefined ? 'dead-letters.none' : 'dead-letters.none-of-cause')}
        </p>
      )}
      {causes.map((each) => (
        <CauseRow
          key={`${each.provider} ${each.cause}`}
          cause={each}
          isOpen={cause !== undefined}
          ask={(kind) => {
            dialog.value = { kind, cause: each };
          }}
        />
      ))}
      {dialog.value !== undefined && <OpenDialog {...dialog.value} onClose={close} />}
    </section>
  );
}

interface Dialog {
  readonly kind: 'retry' | 'delete';
  readonly cause: DeadLetterCause;
}

function OpenDialog({ kind, cause, onClose }: Dialog & { readonly onClose: () => void }) {
  if (kind === 'retry') return <RetryDialog cause={cause} onClose={onClose} />;
  return <DeleteDeadLettersDialog cause={cause} onClose={onClose} />;
}

interface CauseProps {
  readonly cause: DeadLetterCause;
  /** Whether its events are shown below. */
  readonly isOpen: boolean;
  readonly ask: (kind: Dialog['kind']) => void;
}

function CauseRow({ cause: group, isOpen, ask }: CauseProps) {
  const { provider, cause, error_code: code, count, superseded } = group;
  const { message, example } = causeMessage(group);
  return (
    <article class="card bad cause" aria-label={`${provider} ${code}`}>
      <header>
        <h2>{code}</h2>
        <a href={hrefTo('providers', [provider])}>{provider}</a>
        <b>{counted('dead-letters.events', count)}</b>
      </header>
      <p class="pre message">{errorParts(message).sentence}</p>
      {example !== undefined && (
        <p class="pre">
          <span class="quiet">{text('dead-letters.example')}</span> {errorParts(example).sentence}
        </p>
      )}
      <p class="quiet">
        {text('dead-letters.newest')} <Ago time={group.newest_failed_at} />,{' '}
        {text('dead-letters.oldest')} <Ago time={group.oldest_failed_at} />
        {superseded > 0 && `. ${counted('dead-letters.superseded', superseded)}`}
      </p>
      <div class="actions">
        {may('retryAllDeadLetters') && (
          <button type="button" class="primary" onClick={() => ask('retry')}>
            {text('dead-letters.retry-count', { count: numberText(count) })}
          </button>
        )}
        {!isOpen && (
          <a class="button" href={hrefTo('dead-letters', [], { cause })} data-row>
            {text('dead-letters.show-events')}
          </a>
        )}
        {may('deleteDeadLetters') && (
          <button type="button" class="danger" onClick={() => ask('delete')}>
            {text('dead-letters.delete-count', { count: numberText(count) })}
          </button>
        )}
      </div>
    </article>
  );
}
