// Deletes a set: what becomes of its members is chosen, its plan is shown, and what is sent is that plan and nothing else.
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { SetAnswer, SetRecord } from '../../../api/shapes.ts';
import { call } from '../../api/client.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorBox } from '../../components/error-box.tsx';
import { NameInput } from '../../components/name-input.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { Loading } from '../../components/state.tsx';
import { notify } from '../../shell/notices.tsx';
import { type RemovalPlan, removalPlan, removals, type SetRemoval } from './model.ts';
import { counted, text } from './text.ts';

interface DeleteSetProps {
  readonly set: Pick<SetRecord, 'set' | 'project_id'>;
  readonly onClose: () => void;
}

export function DeleteSetDialog({ set, onClose }: DeleteSetProps) {
  // Nothing is chosen beforehand: nobody deletes thirty databases by two clicks.
  const chosen = useSignal<SetRemoval | undefined>(undefined);
  const { value: removal } = chosen;
  return (
    <Dialog wide title={text('sets.delete.title', { name: set.set })} onClose={onClose}>
      <fieldset class="removals">
        <legend>{text('sets.delete.members')}</legend>
        {removals.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="removal"
              checked={each === removal}
              onChange={() => {
                chosen.value = each;
              }}
            />
            <span>
              {text(`sets.delete.${each}`)}{' '}
              <span class="quiet">{text(`sets.delete.${each}.effect`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {removal === undefined ? (
        <CancelOnly onClose={onClose} />
      ) : (
        <Planned key={removal} set={set} removal={removal} onClose={onClose} />
      )}
    </Dialog>
  );
}

function CancelOnly({ onClose }: Pick<DeleteSetProps, 'onClose'>) {
  return (
    <footer>
      <button type="button" onClick={onClose}>
        {text('cancel')}
      </button>
    </footer>
  );
}

interface PlannedProps extends DeleteSetProps {
  readonly removal: SetRemoval;
}

function Planned({ set, removal, onClose }: PlannedProps) {
  const id = useId();
  const typed = useSignal('');
  const plan = useSignal<SetAnswer | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const send = (query: { readonly dry_run: true } | { readonly plan: string }) =>
    call('deleteSet', {
      path: { set: set.set },
      query: { project_id: set.project_id, resources: removal, ...query },
    });
  const check = async () => {
    plan.value = undefined;
    error.value = undefined;
    try {
      plan.value = await send({ dry_run: true });
    } catch (thrown) {
      error.value = thrown;
    }
  };
  useEffect(() => void check(), []);
  const { value: answer } = plan;
  const { changed, blocked } = removalPlan(answer?.resources ?? []);
  const isTyped = removal !== 'delete' || changed === 0 || typed.value === set.set;
  const run = async () => {
    if (answer === undefined) return;
    await send({ plan: answer.plan });
    notify(text('sets.delete.done', { name: set.set }));
    onClose();
  };
  return (
    <>
      <ErrorBox error={error.value} />
      {answer === undefined && error.value === undefined && <Loading />}
      {answer !== undefined && (
        <section class="removal-plan" aria-label={text('sets.plan')}>
          {blocked.length > 0 ? (
            <Blocked blocked={blocked} />
          ) : (
            <>
              <p>
                {changed === 0 ? text('sets.no-members') : counted(`sets.plan.${removal}`, changed)}
              </p>
              <Touched touches={answer.touches} />
            </>
          )}
          <RemovedMembers refs={answer.resources.map(({ resource }) => resource)} />
          {removal === 'delete' && changed > 0 && blocked.length === 0 && (
            <>
              <label class="field" for={id}>
                <span>{text('sets.delete.type', { name: set.set })}</span>
              </label>
              <NameInput
                id={id}
                value={typed.value}
                onInput={(name) => {
                  typed.value = name;
                }}
              />
            </>
          )}
        </section>
      )}
      <p>
        <button type="button" class="small" onClick={() => void check()}>
          {text('sets.check-again')}
        </button>
      </p>
      {answer === undefined || blocked.length > 0 ? (
        <CancelOnly onClose={onClose} />
      ) : (
        <Confirm kind="danger" run={run} disabled={!isTyped} onClose={onClose}>
          {counted(`sets.delete.run.${removal}`, changed)}
        </Confirm>
      )}
    </>
  );
}

function Touched({ touches }: Pick<SetAnswer, 'touches'>) {
  const refs = new Set(touches.map(({ resource }) => resource));
  if (refs.size === 0) return null;
  return <p>{counted('sets.plan.touches', refs.size)}</p>;
}

function Blocked({ blocked }: Pick<RemovalPlan, 'blocked'>) {
  return (
    <div class="card bad">
      <p>{counted('sets.plan.blocked', blocked.length)}</p>
      <ul class="misfits">
        {blocked.map(({ resource, message }) => (
          <li key={resource}>
            <b>{resource}</b> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

const maxShown = 100;

function RemovedMembers({ refs }: { readonly refs: readonly string[] }) {
  if (refs.length === 0) return null;
  const others = refs.length - maxShown;
  return (
    <details class="removed">
      <summary>{counted('sets.plan.members', refs.length)}</summary>
      <ResourceList refs={refs.slice(0, maxShown)} />
      {others > 0 && <p class="quiet">{counted('sets.and-more', others)}</p>}
    </details>
  );
}
