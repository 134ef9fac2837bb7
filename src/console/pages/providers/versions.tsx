// The builds of a provider, newest first: which one serves, and deploying another.
import { useSignal } from '@preact/signals';
import type { Build, Provider } from '../../../cli/api/bodies.ts';
import { elapsed } from '../../../cli/render/time.ts';
import { get } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { Ago } from '../../components/time.tsx';
import { now } from '../../live/clock.ts';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { may } from '../../session/rights.ts';
import { text } from '../../text.ts';
import { RolloutDialog } from './rollout-dialog.tsx';

const everyMs = 3_000;

interface VersionsProps {
  readonly name: string;
  readonly provider: Provider | undefined;
  readonly reload: () => Promise<void>;
}

export function Versions({ name, provider, reload }: VersionsProps) {
  const polled = usePolled({
    key: name,
    everyMs,
    load: (signal) => get('listBuilds', { path: { provider: name }, signal }),
  });
  const deploying = useSignal<string | undefined>(undefined);
  const builds = polled.value.value;
  if (builds === undefined) {
    return polled.error.value === undefined ? <Loading /> : <ErrorBox error={polled.error.value} />;
  }
  const close = () => {
    deploying.value = undefined;
    void reload();
  };
  const { value: to } = deploying;
  return (
    <>
      <ErrorBox error={polled.error.value} />
      {builds.length === 0 ? (
        <p class="empty">{text('providers.no-builds')}</p>
      ) : (
        <Table
          builds={builds}
          provider={provider}
          deploy={(version) => {
            deploying.value = version;
          }}
        />
      )}
      {to !== undefined && (
        <RolloutDialog
          kind="deploy"
          provider={name}
          from={provider?.version ?? undefined}
          to={to}
          onClose={close}
        />
      )}
    </>
  );
}

interface TableProps {
  readonly builds: readonly Build[];
  readonly provider: Provider | undefined;
  readonly deploy: (version: string) => void;
}

function Table({ builds, provider, deploy }: TableProps) {
  return (
    <table class="versions">
      <thead>
        <tr>
          <th scope="col">{text('providers.version')}</th>
          <th scope="col">{text('providers.build')}</th>
          <th scope="col">{text('providers.created')}</th>
          <th scope="col">{text('providers.duration')}</th>
          <th scope="col">{text('providers.actions')}</th>
        </tr>
      </thead>
      <tbody>
        {builds.map((build) => (
          <Row key={build.job_name} build={build} provider={provider} deploy={deploy} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly build: Build;
  readonly provider: Provider | undefined;
  readonly deploy: (version: string) => void;
}

function Row({ build, provider, deploy }: RowProps) {
  const { version, status, job_name: job, provider_id: name } = build;
  const isCurrent = provider?.version === version;
  const canDeploy = may('deployProvider') && status === 'success' && !isCurrent;
  return (
    <tr>
      <th scope="row">
        <a class="mono" href={hrefTo('providers', [name], { show: 'build', job })} data-row>
          {version}
        </a>{' '}
        {isCurrent && <b>{text('providers.current')}</b>}
        {provider?.previous_version === version && (
          <span class="quiet">{text('providers.is-previous')}</span>
        )}
      </th>
      <td>
        <State state={status} />
        {build.error_message !== null && <p class="pre build-error">{build.error_message}</p>}
      </td>
      <td>
        <Ago time={build.created_at} />
      </td>
      <td>{durationOf(build)}</td>
      <td>
        {canDeploy && (
          <button
            type="button"
            class="small"
            aria-label={text('providers.deploy-version', { version })}
            onClick={() => deploy(version)}
          >
            {text('providers.deploy')}
          </button>
        )}
      </td>
    </tr>
  );
}

function durationOf({ started_at: started, finished_at: finished }: Build): string {
  if (started === null) return '—';
  const end = finished === null ? now.value : Date.parse(finished);
  return elapsed(Math.max(0, end - Date.parse(started)));
}
