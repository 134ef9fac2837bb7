// The log of one build, while it runs and afterwards.
import { get, open } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { useLog } from '../../components/log/log.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { usePolled } from '../../live/polled.ts';
import { route } from '../../router/route.ts';
import { text } from '../../text.ts';

const everyMs = 3_000;

export function BuildLog({ provider }: { readonly provider: string }) {
  const job = route.value.query.get('job');
  if (job === null) return <p class="empty">{text('providers.no-build')}</p>;
  return <OneBuild provider={provider} job={job} />;
}

function OneBuild({ provider, job }: { readonly provider: string; readonly job: string }) {
  const path = { provider, job_name: job };
  const polled = usePolled({
    key: job,
    everyMs,
    load: (signal) => get('getBuild', { path, signal }),
  });
  const log = useLog({
    key: job,
    open: (lastEventId, signal) =>
      open('getBuildLogs', {
        path,
        signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      }),
  });
  const build = polled.value.value;
  return (
    <>
      <ErrorBox error={polled.error.value} />
      {build !== undefined && (
        <p>
          <b class="mono">{build.version}</b> <State state={build.status} />{' '}
          <Ago time={build.created_at} />
        </p>
      )}
      {build !== undefined && build.error_message !== null && (
        <div class="error-box">
          <p class="pre">{build.error_message}</p>
        </div>
      )}
      <LogView
        log={log}
        label={text('providers.build-log', { job })}
        empty={text('providers.build-log-empty')}
      />
    </>
  );
}
