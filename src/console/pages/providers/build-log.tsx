// The log of a build, live until the build ends.
import type { Build } from '../../../api/shapes.ts';
import { list, open } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { useLog } from '../../components/log/log.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { Loading, State } from '../../components/state.tsx';
import { usePolled } from '../../live/polled.ts';
import { eventsAfter } from '../../live/stream.ts';
import { route } from '../../router/route.ts';
import { text } from './text.ts';

const everyMs = 3_000;

/** The log of the build in the address; without one that of the newest. */
export function BuildLog({ provider }: { readonly provider: string }) {
  const polled = usePolled({
    key: provider,
    everyMs,
    load: (signal) => list('listBuilds', { path: { provider }, signal }),
  });
  const { value: builds } = polled.value;
  const { value: error } = polled.error;
  const asked = route.value.query.get('job');
  const build = builds?.find(({ job_name: job }) => asked === null || job === asked);
  const job = asked ?? build?.job_name;
  return (
    <>
      <ErrorBox error={error} />
      {builds === undefined && error === undefined && <Loading />}
      {builds?.length === 0 && (
        <p class="empty">
          {text('providers.no-builds')} <code>fairlead push</code>
        </p>
      )}
      {build !== undefined && <BuildFacts build={build} />}
      {job !== undefined && builds?.length !== 0 && (
        <BuildLines key={job} provider={provider} job={job} />
      )}
      <p class="quiet">
        {text('providers.push-hint')} <code>fairlead push</code>
      </p>
    </>
  );
}

function BuildFacts({ build }: { readonly build: Build }) {
  const { version, status, error_message: error } = build;
  return (
    <div aria-live="polite">
      <h2 class="build-title">
        {text('providers.build-of', { version })} <State state={status} />
      </h2>
      {error !== null && <p class="pre invalid">{error}</p>}
    </div>
  );
}

function BuildLines({ provider, job }: { readonly provider: string; readonly job: string }) {
  const log = useLog({
    key: job,
    open: (lastEventId, signal) =>
      open('getBuildLogs', {
        path: { provider, job_name: job },
        headers: eventsAfter(lastEventId),
        signal,
      }),
  });
  return (
    <LogView log={log} label={text('providers.build-log')} empty={text('providers.no-lines')} />
  );
}
