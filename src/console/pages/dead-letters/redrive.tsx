// The progress of the retries that run, whoever started them, and the result of the last one until it is closed.
import { signal } from '@preact/signals';
import type { Redrive } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { retryProgress } from './progress.ts';
import { counted, text } from './text.ts';

const everyMs = 2_000;

/** The end of the retry whose result was closed in this tab. */
const closedKey = 'fairlead.retry-closed';
const closed = signal(sessionStorage.getItem(closedKey));

function closeResult(endedAt: string): void {
  sessionStorage.setItem(closedKey, endedAt);
  closed.value = endedAt;
}

/** Shows nothing when no retry runs, and the last one left nothing or was closed. */
export function RedriveProgress() {
  const polled = usePolled({
    key: 'redrive',
    everyMs,
    load: (signal) => call('getRedrive', { signal }),
  });
  const redrive = polled.value.value;
  if (redrive === undefined || (redrive.state === 'done' && redrive.retried === 0)) return null;
  const { ended_at: endedAt } = redrive;
  if (endedAt !== null && endedAt === closed.value) return null;
  return (
    <section
      class={`card retry ${redrive.state === 'held' ? 'bad' : 'busy'}`}
      aria-label={text('dead-letters.redrive')}
    >
      <Counts redrive={redrive} />
      {endedAt !== null && (
        <button type="button" class="small" onClick={() => closeResult(endedAt)}>
          {text('close')}
        </button>
      )}
      <CauseList causes={redrive.causes} />
    </section>
  );
}

function Counts({ redrive }: { readonly redrive: Redrive }) {
  const { left, held, ended_at: endedAt } = redrive;
  const { state, sent, total } = retryProgress(redrive);
  return (
    <div role="status">
      <p>
        <State state={state} /> {text(`dead-letters.redrive.${state}`)}{' '}
        {endedAt !== null && <Ago time={endedAt} />}
      </p>
      {state === 'running' && (
        <progress value={sent} max={total} aria-label={text('dead-letters.progress')} />
      )}
      <p>
        {counted('dead-letters.retried', sent)}
        {left > 0 && `, ${counted('dead-letters.left', left)}`}
        {held > 0 && `, ${counted('dead-letters.held', held)}`}
      </p>
    </div>
  );
}

function CauseList({ causes }: Pick<Redrive, 'causes'>) {
  if (causes.length === 0) return null;
  return (
    <ul class="redrive-causes">
      {causes.map(({ provider, cause, state, count }) => (
        <li key={`${provider} ${cause}`}>
          <State state={state} />{' '}
          <a href={hrefTo('dead-letters', [], { cause })}>
            {provider} {cause}
          </a>{' '}
          {count > 0 && counted('dead-letters.left', count)}
          {state === 'trying' && ` ${text('dead-letters.state.trying')}`}
        </li>
      ))}
    </ul>
  );
}
