// The question before a deletion, with what it would do.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { optionMarksOf } from '../../../../client/option-marks.ts';
import { slashed } from '../../../../domain/identity.ts';
import { request } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { Action } from '../../../components/action.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { NameInput } from '../../../components/name-input.tsx';
import { ResourceList } from '../../../components/resource-list.tsx';
import { Loading } from '../../../components/state.tsx';
import { may } from '../../../session/rights.ts';
import { notify } from '../../../shell/notices.tsx';
import { changeOption } from '../options/options.ts';
import { readVersion, type Version, writeTo } from '../version.ts';
import { counted, text } from './text.ts';

export function DeleteDialog({ record, onClose }: { record: ResourceRecord; onClose: () => void }) {
  const { id } = record;
  const impact = useSignal<Impact | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const check = async () => {
    impact.value = undefined;
    error.value = undefined;
    try {
      impact.value = await impactOf(id);
    } catch (thrown) {
      error.value = thrown;
    }
  };
  useEffect(() => void check(), [id]);
  const found = impact.value;
  return (
    <Dialog title={text('resource.delete.title', { ref: slashed(record) })} onClose={onClose}>
      {found === undefined && error.value === undefined && <Loading />}
      <ErrorBox error={error.value} />
      {found !== undefined && <DeletionQuestion impact={found} check={check} onClose={onClose} />}
      <footer>
        <button type="button" onClick={() => void check()}>
          {text('resource.check-again')}
        </button>
        <button type="button" onClick={onClose}>
          {text('cancel')}
        </button>
      </footer>
    </Dialog>
  );
}

interface DeleteQuestionProps {
  readonly impact: Impact;
  readonly onClose: () => void;
}

function DeletionQuestion({
  impact,
  check,
  onClose,
}: DeleteQuestionProps & { readonly check: () => Promise<void> }) {
  const { version, refusal, users } = impact;
  if (isOfProtection(refusal)) return <LiftProtection version={version} check={check} />;
  const isUnderWay = version.record.deletion_requested_at !== null;
  return (
    <>
      {users.length === 0 ? (
        <ErrorBox error={refusal} />
      ) : (
        <>
          <p>{counted('resource.delete.users', users.length)}</p>
          <ResourceList refs={users} />
        </>
      )}
      {refusal === undefined && <Plain impact={impact} onClose={onClose} />}
      {(refusal !== undefined || isUnderWay) && <Force impact={impact} onClose={onClose} />}
    </>
  );
}

/** With the choice to leave what the provider created, unless the resource is left by its policy anyway. */
function Plain({ impact: { version, plan }, onClose }: DeleteQuestionProps) {
  const { record } = version;
  const isLeft = useSignal(false);
  const marks = optionMarksOf(record);
  const isByPolicy = marks.includes('orphan');
  const isObserved = marks.includes('observed');
  const isKept = isLeft.value || (isByPolicy && plan === 'delete');
  const does = isObserved && plan !== 'none' ? 'observed' : deletionEffect(plan, isKept);
  const remove = async () => {
    await sendDeletion(version, { orphan: isLeft.value });
    notify(text('resource.delete.requested', { ref: slashed(record) }));
    onClose();
  };
  return (
    <>
      <p>{text(`resource.delete.does.${does}`)}</p>
      {!isByPolicy && !isObserved && record.lifecycle_state !== 'draft' && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={isLeft.value}
              onInput={(event) => {
                isLeft.value = event.currentTarget.checked;
              }}
            />{' '}
            {text('resource.delete.orphan')}
          </label>
        </p>
      )}
      {does !== 'none' && (
        <Action kind="danger" run={remove}>
          {text(does === 'retry' ? 'resource.delete.retry' : 'resource.delete.run')}
        </Action>
      )}
    </>
  );
}

const effects = ['delete', 'retry', 'none'] as const;

function deletionEffect(plan: string | undefined, isLeft: boolean) {
  return isLeft ? 'orphan' : (effects.find((each) => each === plan) ?? 'delete');
}

/** Only when the plain deletion does not do: it may leave behind what the provider created. */
function Force({ impact, onClose }: DeleteQuestionProps) {
  const { version } = impact;
  const name = slashed(version.record);
  const typed = useSignal('');
  const remove = async () => {
    await sendDeletion(version, { force: true });
    notify(text('resource.delete.requested', { ref: name }));
    onClose();
  };
  return (
    <details class="force">
      <summary>{text('resource.force')}</summary>
      <p>{text('resource.force.effect')}</p>
      <label class="field">
        <span>{text('resource.force.type', { ref: name })}</span>
        <NameInput
          value={typed.value}
          onInput={(words) => {
            typed.value = words;
          }}
        />
      </label>
      <p>
        <Action kind="danger" disabled={typed.value !== name} run={remove}>
          {text('resource.force.run')}
        </Action>
      </p>
    </details>
  );
}

// The step before the deletion of a protected resource: it is a step of its own, and nothing is deleted by it.

/** Returns whether a refusal is that of a protected resource, which force does not override. */
function isOfProtection(refusal: ApiError | undefined): boolean {
  return refusal?.code === 'resource_protected';
}

interface LiftProps {
  /** The one that is protected. */
  readonly version: Version;
  /** Asks again what a deletion would do. */
  readonly check: () => Promise<void>;
}

function LiftProtection({ version, check }: LiftProps) {
  const lift = async () => {
    await changeOption(version.record, { protected: false });
    await check();
  };
  return (
    <div class="card busy">
      <p>{text('resource.delete.protected', { ref: slashed(version.record) })}</p>
      {may('updateResource') && <Action run={lift}>{text('resource.delete.lift')}</Action>}
    </div>
  );
}

// Deletes a resource after a dry run, and nothing that was changed meanwhile.

interface Impact {
  readonly version: Version;
  /** The plan of the deletion: `delete`, `retry` or `none`. Undefined when it is refused. */
  readonly plan: string | undefined;
  readonly refusal: ApiError | undefined;
  /** Resources that use it, so that it is refused: `provider/type/name`. */
  readonly users: readonly string[];
}

/** @throws ApiError but for a refusal that force overrides */
async function impactOf(id: string): Promise<Impact> {
  const version = await readVersion(id);
  const facts = { version, plan: undefined, refusal: undefined, users: [] };
  try {
    const { headers } = await request('deleteResource', {
      path: { resource_id: id },
      query: { dry_run: true },
    });
    return { ...facts, plan: headers.get('fairlead-plan') ?? 'delete' };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 409) throw thrown;
    const { users } = thrown.context;
    return { ...facts, refusal: thrown, users: Array.isArray(users) ? users.map(String) : [] };
  }
}

/**
 * @param asked `force`: also what other resources use; `orphan`: leaves what the provider created
 * @param seen the version whose impact was shown
 * @throws ApiError for a refusal, Error when somebody has changed it since
 */
async function sendDeletion(
  seen: Version,
  asked: { readonly force?: true; readonly orphan?: boolean },
): Promise<void> {
  const path = { resource_id: seen.record.id };
  const query = {
    ...(asked.force === true ? { force: true } : {}),
    ...(asked.orphan === true ? { orphan: true } : {}),
  };
  await writeTo(seen, (headers) => request('deleteResource', { path, query, headers }));
}
