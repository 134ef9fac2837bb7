// Deploys a version, or rolls back to one: shows first what would no longer fit, then the rollout.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Deployment } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { Loading } from '../../components/state.tsx';
import { liveResource } from '../../live/resources.ts';
import { hrefTo } from '../../router/route.ts';
import type { RolloutChoice } from './rollout.ts';
import { Change, RolloutProgress } from './rollout-progress.tsx';
import { counted, text } from './text.ts';

interface RolloutDialogProps {
  readonly wanted: RolloutChoice;
  readonly onClose: () => void;
}

export function RolloutDialog({ wanted, onClose }: RolloutDialogProps) {
  const isStarted = useSignal(false);
  const { kind, version } = wanted;
  return (
    <Dialog title={text(`providers.ask.${kind}`, { version })} onClose={onClose}>
      {isStarted.value ? (
        <RolloutProgress wanted={wanted} onClose={onClose} />
      ) : (
        <RolloutQuestion wanted={wanted} isStarted={isStarted} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface Effect {
  readonly deployment: Deployment;
  readonly missing: readonly string[];
}

interface RolloutDialogQuestionProps extends RolloutDialogProps {
  readonly isStarted: Signal<boolean>;
}

function RolloutQuestion({ wanted, isStarted, onClose }: RolloutDialogQuestionProps) {
  const { kind, provider, from, version } = wanted;
  const isStrict = useSignal(true);
  const effect = useSignal<Effect | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    rolloutEffect(wanted, signal).then(
      (found) => {
        effect.value = found;
      },
      (thrown: unknown) => {
        if (!signal.aborted) error.value = thrown;
      },
    );
    return () => controller.abort();
  }, [wanted]);
  const count = effect.value?.deployment.incompatible_count ?? 0;
  const isRefused = isStrict.value && count > 0;
  const start = async () => {
    await sendRollout(wanted, { query: { strict: isStrict.value }, retiresTypes: !isStrict.value });
    isStarted.value = true;
  };
  return (
    <>
      <Change from={from} to={version} />
      <ErrorBox error={error.value} />
      {effect.value === undefined && error.value === undefined && <Loading />}
      {effect.value !== undefined && (
        <>
          <Incompatible deployment={effect.value.deployment} />
          <Missing
            provider={provider}
            version={version}
            names={effect.value.missing}
            onClose={onClose}
          />
          <label class="rollout-check">
            <input
              type="checkbox"
              checked={isStrict.value}
              onChange={(event) => {
                isStrict.value = event.currentTarget.checked;
              }}
            />
            {text('providers.strict')}
          </label>
          {isRefused && <p class="invalid">{text('providers.strict-refuses')}</p>}
        </>
      )}
      <Confirm
        kind="primary"
        run={start}
        disabled={effect.value === undefined || isRefused}
        onClose={onClose}
      >
        {text(`providers.now.${kind}`)}
      </Confirm>
    </>
  );
}

interface MissingProps {
  readonly provider: string;
  readonly version: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
}

function Missing({ provider, version, names, onClose }: MissingProps) {
  if (names.length === 0) return null;
  return (
    <div class="card bad">
      <p>
        {text('providers.missing-settings', { version })} <b>{names.join(', ')}</b>
      </p>
      <a href={hrefTo('providers', [provider], { show: 'settings' })} onClick={onClose}>
        {text('providers.settings')}
      </a>
    </div>
  );
}

/** Accepts everything: a request for a version that does not fit is an error, which has no list of resources. */
async function rolloutEffect(wanted: RolloutChoice, signal: AbortSignal): Promise<Effect> {
  const [deployment, missing] = await Promise.all([
    sendRollout(wanted, { query: { dry_run: true }, retiresTypes: true }, signal),
    missingFor(wanted, signal),
  ]);
  return { deployment, missing };
}

/** The API has those of another version than the deployed or the newest one only once it is deployed. */
async function missingFor(
  { provider, version }: RolloutChoice,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const settings = await call('getProviderSettings', { path: { provider }, signal });
    return settings.version === version ? settings.missing : [];
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status < 500) return [];
    throw thrown;
  }
}

interface RolloutRequest {
  readonly query: { readonly strict?: boolean; readonly dry_run?: boolean };
  /** Whether a version may lack types with resources. */
  readonly retiresTypes: boolean;
}

async function sendRollout(
  { kind, provider, version }: RolloutChoice,
  { query, retiresTypes }: RolloutRequest,
  signal?: AbortSignal,
): Promise<Deployment> {
  const operation = kind === 'rollback' ? 'rollbackProvider' : 'deployProvider';
  const options = signal === undefined ? {} : { signal };
  const body = { version, retire_types: retiresTypes };
  return await call(operation, { path: { provider }, query, body, ...options });
}

// The resources that do not fit a version.

function Incompatible({ deployment }: { readonly deployment: Deployment }) {
  const { incompatible_count: count, incompatible_resources: some, message } = deployment;
  // Content of a newer version may fit all the same.
  if (count === 0) return <p class="pre">{message === '' ? text('providers.all-fit') : message}</p>;
  return (
    <div class="card bad">
      <p>
        <b>{counted('providers.incompatible', count)}</b>
      </p>
      <ul class="misfits">
        {some.map((id) => (
          <li key={id}>
            <ResourceName id={id} />
          </li>
        ))}
      </ul>
      {count > some.length && <p>{counted('providers.more', count - some.length)}</p>}
      <details>
        <summary>{text('providers.why')}</summary>
        <p class="pre">{message}</p>
      </details>
    </div>
  );
}

/** An id cannot be split, as types and names may contain its separator; the resource itself has the parts. */
function ResourceName({ id }: { readonly id: string }) {
  const record = liveResource(id);
  if (record === undefined) return <code>{id}</code>;
  const { provider, resource, name } = record;
  const tuple = [provider, resource, name];
  return <a href={hrefTo('resource', tuple)}>{tuple.join('/')}</a>;
}
