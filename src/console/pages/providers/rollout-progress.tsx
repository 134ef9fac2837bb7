// Follows a rollout until the version serves, or its pods have failed. It goes on without the page.
import { deploymentState, podCounts } from '../../../client/deployment.ts';
import { call } from '../../api/client.ts';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { type RolloutChoice, type RolloutState, rolloutState } from './rollout.ts';
import { text } from './text.ts';

const everyMs = 1_000;

interface RolloutProgressProps {
  readonly wanted: RolloutChoice;
  readonly onClose: () => void;
}

export function RolloutProgress({ wanted, onClose }: RolloutProgressProps) {
  const { provider, from, version } = wanted;
  const polled = usePolled({
    key: `${provider} ${version}`,
    everyMs,
    load: (signal) => call('getDeployment', { path: { provider }, signal }),
  });
  const { value: deployment } = polled.value;
  const { value: error } = polled.error;
  const state = deployment === undefined ? 'running' : rolloutState(deployment, version);
  return (
    <>
      <Change from={from} to={version} />
      <ErrorBox error={error} />
      {deployment === undefined && error === undefined && <Loading />}
      <div aria-live="polite" class="rollout">
        {deployment !== undefined && (
          <>
            <State state={deploymentState(deployment)} />
            <p>{text('providers.pods-of', podCounts(deployment))}</p>
            <p class="pre">{deployment.message}</p>
          </>
        )}
        <Advice
          state={state}
          wanted={wanted}
          serving={deployment?.serving_version ?? null}
          onClose={onClose}
        />
      </div>
      <footer>
        <button type="button" onClick={onClose}>
          {text('close')}
        </button>
      </footer>
    </>
  );
}

interface AdviceProps extends RolloutProgressProps {
  readonly state: RolloutState;
  readonly serving: string | null;
}

/** Its links lead to other tabs of the same page, so that the dialog would stay over them. */
function Advice({ state, wanted, serving, onClose }: AdviceProps) {
  const { provider, version } = wanted;
  const href = (show: string) => hrefTo('providers', [provider], { show });
  if (state === 'running') return <p class="quiet">{text('providers.goes-on')}</p>;
  if (state === 'replaced') return <p class="invalid">{text('providers.replaced', { version })}</p>;
  if (state === 'serving') {
    // Events that failed for the version before wait there.
    return (
      <p>
        <a href={hrefTo('dead-letters')}>{text('providers.to-dead-letters')}</a>
      </p>
    );
  }
  return (
    <>
      {serving !== null && serving !== version && (
        <p>{text('providers.old-serves', { version: serving })}</p>
      )}
      <p class="actions">
        <a href={href('logs')} onClick={onClose}>
          {text('providers.logs')}
        </a>
        <a href={href('settings')} onClick={onClose}>
          {text('providers.settings')}
        </a>
      </p>
    </>
  );
}

/** The version that runs, and the one that shall. */
export function Change({ from, to }: { readonly from: string | null; readonly to: string }) {
  return (
    <p class="rollout-change">
      {from !== null && from !== to && (
        <>
          <code>{from}</code>{' '}
          <span role="img" aria-label={text('providers.to')}>
            →
          </span>{' '}
        </>
      )}
      <code>{to}</code>
    </p>
  );
}
