// The progress of the retries that run, whoever started them.
import { call } from '../../api/client.ts';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { counted, text } from '../../text.ts';

const everyMs = 2_000;

/** Shows nothing when no retry runs, and the last one left nothing. */
export function RedriveProgress() {
  const polled = usePolled({
    key: 'redrive',
    everyMs,
    load: (signal) => call('getRedrive', { signal }),
  });
  const redrive = polled.value.value;
  if (redrive === undefined || (redrive.state === 'done' && redrive.retried === 0)) return null;
  const { state, retried, left, held, causes, ended_at: endedAt } = redrive;
  const total = retried + left + held;
  return (
    <section
      class={`card ${state === 'held' ? 'bad' : 'busy'}`}
      aria-label={text('dead-letters.redrive')}
    >
      <div role="status">
        <p>
          <State state={state} /> {text(`dead-letters.redrive.${state}`)}{' '}
          {endedAt !== null && <Ago time={endedAt} />}
        </p>
        {state === 'running' && (
          <progress value={retried} max={total} aria-label={text('dead-letters.progress')} />
        )}
        <p>
          {counted('dead-letters.retried', retried)}
          {left > 0 && `, ${counted('dead-letters.left', left)}`}
          {held > 0 && `, ${counted('dead-letters.held', held)}`}
        </p>
      </div>
      {causes.length > 0 && (
        <ul class="redrive-causes">
          {causes.map(({ provider, cause, state: causeState, count }) => (
            <li key={`${provider} ${cause}`}>
              <State state={causeState} />{' '}
              <a href={hrefTo('dead-letters', [], { cause })}>
                {provider} {cause}
              </a>{' '}
              {counted('dead-letters.left', count)}
              {causeState === 'trying' && `: ${text('dead-letters.state.trying')}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
