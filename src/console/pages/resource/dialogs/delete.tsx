// The question before a deletion, with what it would do.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ResourceRecord } from '../../../../api/shapes.ts';
import { optionMarksOf } from '../../../../client/option-marks.ts';
import { slashed } from '../../../../domain/identity.ts';
import { Action } from '../../../components/action.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorBox } from '../../../components/error-box.tsx';
import { NameInput } from '../../../components/name-input.tsx';
import { Loading } from '../../../components/state.tsx';
import { notify } from '../../../shell/notices.tsx';
import { ResourceList } from '../resource-list.tsx';
import { type Impact, impactOf, sendDeletion } from './deletion.ts';
import { isOfProtection, LiftProtection } from './lift-protection.tsx';
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
