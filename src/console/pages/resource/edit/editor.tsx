// The config as a text to change. It stays when the resource changes beneath it.

import { type Signal, useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import type { ApplyResource, ResourceDefinition, ResourceRecord } from '../../../../api/shapes.ts';
import { differencesOf } from '../../../../client/differences.ts';
import { type ShownViolation, violationMessage } from '../../../../client/words/violation.ts';
import { slashed } from '../../../../domain/identity.ts';
import { dottedPointer, type JsonObject } from '../../../../lib/json.ts';
import { ApiError } from '../../../api/errors.ts';
import { Action } from '../../../components/action.tsx';
import type { JsonProblem } from '../../../components/text/json-text.ts';
import { notify } from '../../../shell/notices.tsx';
import { PlanDialog } from '../dialogs/plan-dialog.tsx';
import { ChangeList } from '../history/change-list.tsx';
import { shownDifferences } from '../history/changes.ts';
import { readVersion } from '../version.ts';
import { applyEdit, type EditPlan, planOf } from './apply.ts';
import { declaresTheSame } from './declaration.ts';
import { editBody, violationOffset } from './edit-body.ts';
import { type Edit, isTyped } from './edit-form.ts';
import { EditFields } from './fields.tsx';
import { text } from './text.ts';

interface EditorProps {
  readonly edit: Signal<Edit | undefined>;
  /** As it is now. */
  readonly record: ResourceRecord;
  readonly schema: JsonObject | undefined;
  readonly type: ResourceDefinition | undefined;
  readonly isRevealed: boolean;
  readonly users: readonly string[];
}

export function Editor({ edit, record, schema, type, isRevealed, users }: EditorProps) {
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
      <ConcurrentChange {...{ edit, record, schema, type, isRevealed }} />
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
          {...{ schema, type, isRevealed, users, run }}
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

interface RejectedProps {
  readonly violations: readonly ShownViolation[];
  /** The schema of the type, for the names that an unknown one may mean. */
  readonly schema: JsonObject | undefined;
  /** The place of the value in the text; undefined when it is not in it. */
  readonly offsetOf: (violation: ShownViolation) => number | undefined;
  readonly show: (offset: number) => void;
}

/** The rejected values, each with a way to its place in the text. */
function Rejected({ violations, schema, offsetOf, show }: RejectedProps) {
  return (
    <div role="alert">
      {violations.length > 0 && (
        <div class="error-box">
          <p>{text('resource.edit.rejected')}</p>
          <ul>
            {violations.map((violation) => {
              const place = violation.loc.slice(1).join('.');
              const msg = violationMessage(violation, schema);
              const offset = offsetOf(violation);
              return (
                <li key={`${place} ${msg}`} class="pre">
                  {offset === undefined ? (
                    <code>{place}</code>
                  ) : (
                    <button type="button" class="link" onClick={() => show(offset)}>
                      <code>{place}</code>
                    </button>
                  )}{' '}
                  {msg}
                </li>
              );
            })}
          </ul>
        </div>
      )}
    </div>
  );
}

// Says that somebody changed the resource that is being edited, and what.

interface ConcurrentChangeProps {
  readonly edit: Signal<Edit | undefined>;
  readonly record: ResourceRecord;
  readonly schema: JsonObject | undefined;
  readonly type: ResourceDefinition | undefined;
  readonly isRevealed: boolean;
}

function ConcurrentChange({ edit, record, schema, type, isRevealed }: ConcurrentChangeProps) {
  const opened = edit.value?.base.record;
  if (opened === undefined || declaresTheSame(opened, record)) return null;
  const differences = differencesOf(opened, record, { schema, type, shown: isRevealed });
  const rebase = async () => {
    const base = await readVersion(record.id);
    if (edit.value !== undefined) edit.value = { ...edit.value, base };
  };
  return (
    <div class="card busy" role="status">
      <p class="pre">
        <strong>
          {text('resource.meanwhile', {
            ref: slashed(record),
            who: record.applied_by_name ?? record.applied_by ?? text('resource.somebody'),
          })}
        </strong>
      </p>
      <ChangeList changes={shownDifferences(differences)} />
      <p>{text('resource.meanwhile.advice')}</p>
      <Action run={rebase}>{text('resource.meanwhile.rebase')}</Action>
    </div>
  );
}
