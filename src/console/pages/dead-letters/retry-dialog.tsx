// Retries all events of a cause: how many first, then the progress until the last one is sent.

import { useSignal } from '@preact/signals';
import type { DeadLetterCause, Redrive } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { usePolled } from '../../live/polled.ts';
import { causeProgress } from './progress.ts';
import { counted, text } from './text.ts';

interface RetryDialogProps {
  readonly cause: DeadLetterCause;
  readonly onClose: () => void;
}

/** The number of a dry run does not change while the dialog is open. */
const never = 3_600_000;
const everyMs = 1_000;

export function RetryDialog({ cause: group, onClose }: RetryDialogProps) {
  const accepted = useSignal<number | undefined>(undefined);
  const { cause, provider } = group;
  const retry = async () => {
    const { retried } = await call('retryAllDeadLetters', { query: { cause, provider } });
    accepted.value = retried;
  };
  return (
    <Dialog title={text('dead-letters.retry-title', { code: group.error_code })} onClose={onClose}>
      {accepted.value === undefined ? (
        <RetryQuestion group={group} retry={retry} />
      ) : (
        <Progress group={group} accepted={accepted.value} />
      )}
      <footer>
        <button type="button" onClick={onClose}>
          {text('close')}
        </button>
      </footer>
    </Dialog>
  );
}

interface QuestionProps {
  readonly group: DeadLetterCause;
  readonly retry: () => Promise<void>;
}

function RetryQuestion({ group: { cause, provider }, retry }: QuestionProps) {
  const preview = usePolled({
    key: cause,
    everyMs: never,
    load: (signal) =>
      call('retryAllDeadLetters', { query: { cause, provider, dry_run: true }, signal }),
  });
  const count = preview.value.value?.retried;
  if (count === undefined) {
    return preview.error.value === undefined ? (
      <Loading />
    ) : (
      <ErrorBox error={preview.error.value} />
    );
  }
  if (count === 0) return <p>{text('dead-letters.retry-none')}</p>;
  return (
    <>
      <p>{counted('dead-letters.retry-effect', count)}</p>
      <Action kind="primary" run={retry}>
        {counted('dead-letters.retry-now', count)}
      </Action>
    </>
  );
}

function Progress({
  group,
  accepted,
}: {
  readonly group: DeadLetterCause;
  readonly accepted: number;
}) {
  const redrive = usePolled<Redrive>({
    key: group.cause,
    everyMs,
    load: (signal) => call('getRedrive', { signal }),
  });
  const { state, step, sent } = causeProgress(redrive.value.value, { ...group, accepted });
  return (
    <div role="status">
      <p>
        <State state={state} /> {text(`dead-letters.state.${step}`)}
      </p>
      <progress value={sent} max={accepted} aria-label={text('dead-letters.progress')} />
      <p>{text('dead-letters.retried-of', { sent, count: accepted })}</p>
      <ErrorBox error={redrive.error.value} />
    </div>
  );
}
