// The config as a text to change. It stays when the resource changes beneath it.

import { type Signal, useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import type { ApplyResource, ResourceRecord } from '../../../../api/shapes.ts';
import type { ShownViolation } from '../../../../client/words/violation.ts';
import { slashed } from '../../../../domain/identity.ts';
import { dottedPointer, type JsonObject } from '../../../../lib/json.ts';
import { ApiError } from '../../../api/errors.ts';
import { Action } from '../../../components/action.tsx';
import type { JsonProblem } from '../../../components/text/json-text.ts';
import { notify } from '../../../shell/notices.tsx';
import { PlanDialog } from '../dialogs/plan-dialog.tsx';
import { applyEdit, type EditPlan, planOf } from './apply.ts';
import { ConcurrentChange } from './concurrent-change.tsx';
import { editBody, violationOffset } from './edit-body.ts';
import { type Edit, isTyped } from './edit-form.ts';
import { EditFields } from './fields.tsx';
import { Rejected } from './rejected.tsx';
import { text } from './text.ts';

interface EditorProps {
  readonly edit: Signal<Edit | undefined>;
  /** As it is now. */
  readonly record: ResourceRecord;
  readonly schema: JsonObject | undefined;
  readonly isRevealed: boolean;
  readonly users: readonly string[];
}

export function Editor({ edit, record, schema, isRevealed, users }: EditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const problem = useSignal<JsonProblem | undefined>(undefined);
  const rejected = useSignal<
    { violations: readonly ShownViolation[]; offsets: ReadonlyMap<string, number> } | undefined
  >(undefined);
  const plan = useSignal<EditPlan | undefined>(undefined);
  const now = edit.value;
  if (now === undefined) return null;
  const { base, revision, missing = [] } = now;
  const change = (part: Partial<Edit>) => {
    edit.value = { ...now, ...part };
    problem.value = undefined;
    rejected.value = undefined;
  };
  const show = (offset: number) => {
    // The focus scrolls to the selection.
    area.current?.setSelectionRange(offset, offset + 1);
    area.current?.focus();
  };
  const check = async () => {
    const made = await editBody(now);
    problem.value = 'problem' in made ? made.problem : undefined;
    rejected.value = undefined;
    if ('problem' in made) return show(made.problem.offset);
    try {
      plan.value = await planOf(base.record.id, made.body);
    } catch (thrown) {
      const violations = shownViolations(thrown);
      rejected.value = { violations, offsets: made.offsets };
      if (violations.every(({ type }) => type === 'immutable')) await checkReplacement(made.body);
    }
  };
  /** The refusal of a replacement is shown at the button, below the fields that make it necessary. */
  const checkReplacement = async (body: ApplyResource) => {
    plan.value = await planOf(base.record.id, body, { replace: true });
    rejected.value = undefined;
  };
  const run = async () => {
    if (plan.value === undefined) return;
    await applyEdit(plan.value);
    notify(text('resource.edit.applied', { ref: slashed(record) }));
    edit.value = undefined;
  };
  const discard = () => {
    if (!isTyped(now) || window.confirm(text('resource.edit.discard'))) edit.value = undefined;
  };
  return (
    <section class="edit" aria-labelledby={id}>
      <h2 id={id}>
        {revision === undefined
          ? text('resource.edit.title')
          : text('resource.edit.revision', { revision })}
      </h2>
      <ConcurrentChange edit={edit} record={record} schema={schema} isRevealed={isRevealed} />
      {missing.length > 0 && (
        <p class="card busy">
          {text('resource.edit.missing', { paths: missing.map(dottedPointer).join(', ') })}
        </p>
      )}
      <EditFields edit={now} {...{ area, schema, change }} problem={problem.value} />
      <Rejected
        violations={rejected.value?.violations ?? []}
        schema={schema}
        offsetOf={({ loc }) => violationOffset(loc, rejected.value?.offsets ?? new Map())}
        show={show}
      />
      <p class="actions">
        <Action kind="primary" run={check}>
          {text('resource.edit.check')}
        </Action>
        <button type="button" onClick={discard}>
          {text('resource.edit.cancel')}
        </button>
      </p>
      {plan.value !== undefined && (
        <PlanDialog
          {...{ schema, isRevealed, users, run }}
          plan={plan.value}
          onClose={() => {
            plan.value = undefined;
          }}
        />
      )}
    </section>
  );
}

/** @throws what was thrown when it names no fields */
function shownViolations(thrown: unknown): readonly ShownViolation[] {
  if (thrown instanceof ApiError && thrown.violations.length > 0) return thrown.violations;
  throw thrown;
}
