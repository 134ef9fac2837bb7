// The builds of a provider, newest first, and which of them runs.
import type { Build, Provider } from '../../../api/shapes.ts';
import { elapsed } from '../../../client/time.ts';
import { list } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { now } from '../../live/clock.ts';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { roleOf } from './rollout.ts';
import { text } from './text.ts';

const everyMs = 3_000;

interface VersionsProps {
  readonly provider: Provider;
  /** Asks whether to deploy a version. */
  readonly deploy: (version: string) => void;
}

export function Versions({ provider, deploy }: VersionsProps) {
  const { provider: name } = provider;
  const polled = usePolled({
    key: name,
    everyMs,
    load: (signal) => list('listBuilds', { path: { provider: name }, signal }),
  });
  const { value: builds } = polled.value;
  const { value: error } = polled.error;
  return (
    <section aria-label={text('providers.versions')}>
      <ErrorBox error={error} />
      {builds === undefined && error === undefined && <Loading />}
      {builds?.length === 0 && (
        <p class="empty">
          {text('providers.no-builds')} <code>fairlead push</code>
        </p>
      )}
      <ul class="versions">
        {builds?.map((build) => (
          <Version key={build.job_name} build={build} provider={provider} deploy={deploy} />
        ))}
      </ul>
    </section>
  );
}

function Version({ build, provider, deploy }: VersionsProps & { readonly build: Build }) {
  const { version, status, job_name: job, error_message: error, created_at } = build;
  const role = roleOf(version, provider);
  const isOffered = may('deployProvider') && status === 'success' && role !== 'current';
  const { provider: name } = provider;
  return (
    <li>
      <h2 class="mono">{version}</h2>
      <State state={status} />
      {role !== undefined && <b class="version-role">{text(`providers.role.${role}`)}</b>}
      <span class="quiet">
        <Ago time={created_at} />
        <Took build={build} />
      </span>
      <span class="actions">
        {isOffered && (
          <button
            type="button"
            class="small"
            aria-label={text('providers.deploy-version-ask', { version })}
            onClick={() => deploy(version)}
          >
            {text('providers.deploy-ask')}
          </button>
        )}
        <a
          data-row
          href={hrefTo('providers', [name], { show: 'build', job })}
          aria-label={text('providers.log-of', { version })}
        >
          {text('providers.log')}
        </a>
      </span>
      {error !== null && <p class="pre bad">{error}</p>}
    </li>
  );
}

function Took({
  build: { started_at: started, finished_at: finished },
}: {
  readonly build: Build;
}) {
  if (started === null) return null;
  const end = finished === null ? now.value : Date.parse(finished);
  const time = elapsed(Math.max(0, end - Date.parse(started)));
  return <> · {text(finished === null ? 'providers.takes' : 'providers.took', { time })}</>;
}
