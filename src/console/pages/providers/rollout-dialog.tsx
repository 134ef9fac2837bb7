// Deploys a version, or rolls back to one: its effect first, then the rollout until it serves.
import { useSignal } from '@preact/signals';
import type { Deployment } from '../../../cli/api/bodies.ts';
import { get } from '../../api/client.ts';
import { Action } from '../../components/action.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading, State } from '../../components/state.tsx';
import { usePolled } from '../../live/polled.ts';
import { hrefTo } from '../../router/route.ts';
import { counted, text } from '../../text.ts';

interface RolloutDialogProps {
  readonly kind: 'deploy' | 'rollback';
  readonly provider: string;
  /** The version that serves now. */
  readonly from: string | undefined;
  readonly to: string;
  readonly onClose: () => void;
}

/** The preview does not change while the dialog is open. */
const never = 3_600_000;
const everyMs = 1_000;

export function RolloutDialog({ kind, provider, from, to, onClose }: RolloutDialogProps) {
  const isStarted = useSignal(false);
  const operation = kind === 'deploy' ? 'deployProvider' : 'rollbackProvider';
  const path = { provider };
  const preview = usePolled({
    key: to,
    everyMs: never,
    load: (signal) =>
      get(operation, { path, query: { dry_run: true }, body: { version: to }, signal }),
  });
  const start = async (strict: boolean) => {
    await get(operation, { path, query: { strict }, body: { version: to } });
    isStarted.value = true;
  };
  const effect = preview.value.value;
  return (
    <Dialog title={text(`providers.${kind}-title`, { provider, version: to })} onClose={onClose}>
      <p class="versions-change mono">
        {from ?? '—'} → <b>{to}</b>
      </p>
      <ErrorBox error={preview.error.value} />
      {effect === undefined && preview.error.value === undefined && <Loading />}
      {effect !== undefined && !isStarted.value && (
        <Effect kind={kind} effect={effect} start={start} />
      )}
      {isStarted.value && <Progress provider={provider} version={to} />}
      <footer>
        <button type="button" onClick={onClose}>
          {text('close')}
        </button>
      </footer>
    </Dialog>
  );
}

interface EffectProps {
  readonly kind: 'deploy' | 'rollback';
  readonly effect: Deployment;
  /** @param strict rejects a version that configs of resources do not fit */
  readonly start: (strict: boolean) => Promise<void>;
}

function Effect({ kind, effect, start }: EffectProps) {
  const isAccepted = useSignal(false);
  const { incompatible_count: count, incompatible_resources: ids } = effect;
  return (
    <>
      <p>{text('providers.rollout-effect')}</p>
      {count === 0 ? (
        <p>{text('providers.all-fit')}</p>
      ) : (
        <>
          <p class="state bad">{counted('providers.misfits', count)}</p>
          <ul class="misfits">
            {ids.map((id) => (
              <li key={id}>
                <code>{id}</code>
              </li>
            ))}
          </ul>
          <p>
            <a
              href={hrefTo('resources', [], {
                filter: ids[0] === undefined ? '' : providerIn(ids[0]),
              })}
            >
              {text('providers.resources')}
            </a>
          </p>
          <label>
            <input
              type="checkbox"
              checked={isAccepted.value}
              onChange={(event) => {
                isAccepted.value = event.currentTarget.checked;
              }}
            />{' '}
            {text('providers.accept-misfits')}
          </label>
        </>
      )}
      <p>
        <Action
          kind="primary"
          run={() => start(count === 0)}
          disabled={count > 0 && !isAccepted.value}
        >
          {text(`providers.${kind}-now`)}
        </Action>
      </p>
    </>
  );
}

/** @param id such as `resource:postgres_database_orders` */
function providerIn(id: string): string {
  return id.slice(id.indexOf(':') + 1).split('_', 1)[0] ?? '';
}

function Progress({ provider, version }: { readonly provider: string; readonly version: string }) {
  const polled = usePolled({
    key: version,
    everyMs,
    load: (signal) => get('getDeployment', { path: { provider }, signal }),
  });
  const deployment = polled.value.value;
  return (
    <div role="status">
      <ErrorBox error={polled.error.value} />
      {deployment === undefined && polled.error.value === undefined && <Loading />}
      {deployment !== undefined && (
        <>
          <p>
            <State state={deployment.status} /> {deployment.message}
          </p>
          <p class="quiet">
            {text('providers.pods-ready', {
              ready: deployment.ready_replicas,
              count: deployment.replicas,
            })}
          </p>
        </>
      )}
    </div>
  );
}
