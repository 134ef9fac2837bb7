// The form of a new resource, with the file that declares the same.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { projectText } from '../../../client/project.ts';
import { slashed } from '../../../domain/identity.ts';
import { call } from '../../api/client.ts';
import { ApiError, NoAnswer } from '../../api/errors.ts';
import { Action } from '../../components/action.tsx';
import { Block } from '../../components/block.tsx';
import { goTo, hrefTo } from '../../router/route.ts';
import { notify } from '../../shell/notices.tsx';
import { useUnsaved } from '../../shell/unsaved.ts';
import { ConfigFields } from './config-fields.tsx';
import { type Draft, draftDeclaration, draftFor, draftOf, type Made, madeOf } from './draft.ts';
import type { FormProblem } from './form/value.ts';
import { type Messages, type PlacedMessages, placed } from './form/violations.ts';
import { ResourceFields } from './resource-fields.tsx';
import { text } from './text.ts';

interface NewProps {
  /** As it is now. */
  readonly type: ResourceDefinition;
  readonly draft: Signal<Draft>;
}

const none: Messages = new Map();

export function NewResource({ type, draft }: NewProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const rejected = useSignal<PlacedMessages | undefined>(undefined);
  const plan = useSignal<ResourceRecord | undefined>(undefined);
  const created = useSignal<ResourceRecord | undefined>(undefined);
  const now = draft.value;
  useUnsaved(now.isTyped);
  // After useUnsaved, so that it no longer asks.
  useEffect(() => {
    if (created.value === undefined) return;
    const { provider, resource, name } = created.value;
    goTo(hrefTo('resource', [provider, resource, name]));
  }, [created.value]);
  useEffect(() => {
    if (rejected.value !== undefined) showFirst(form.current);
  }, [rejected.value]);
  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part, isTyped: true };
    rejected.value = undefined;
    plan.value = undefined;
  };
  const send = async (isDryRun: boolean) => {
    plan.value = undefined;
    rejected.value = undefined;
    if (!isValid(form.current, draft.value.state)) return undefined;
    const sent = await applyForm(madeOf(draft.value), isDryRun);
    if ('messages' in sent) rejected.value = sent;
    return 'messages' in sent ? undefined : sent;
  };
  const check = async () => {
    plan.value = await send(true);
  };
  const create = async () => {
    const record = await send(false);
    if (record === undefined) return;
    notify(text('types.created', { ref: slashed(record) }));
    // Without what was typed: it may be sensitive.
    draft.value = draftOf(type);
    created.value = record;
  };
  const messages = rejected.value?.messages ?? none;
  return (
    <div class="new-resource">
      <form
        ref={form}
        aria-labelledby={id}
        noValidate
        autocomplete="off"
        onSubmit={(event) => event.preventDefault()}
      >
        <h2 id={id}>{text('types.new')}</h2>
        {type.updated_at !== now.type.updated_at && (
          <div class="card busy" role="status">
            <p>{text('types.changed')}</p>
            <button type="button" onClick={() => change(draftFor(now, type))}>
              {text('types.use-changed')}
            </button>
          </div>
        )}
        <ResourceFields draft={now} change={change} messages={messages} />
        <ConfigFields draft={now} change={change} messages={messages} />
        <Rejection rejected={rejected.value} />
        {plan.value !== undefined && <Plan record={plan.value} />}
        <p class="actions">
          <Action run={check}>{text('types.check')}</Action>
          <Action kind="primary" run={create}>
            {text('types.create')}
          </Action>
        </p>
      </form>
      <Declared draft={now} />
    </div>
  );
}

function Rejection({ rejected }: { readonly rejected: PlacedMessages | undefined }) {
  return (
    <div role="alert">
      {rejected !== undefined && (
        <div class="error-box">
          <p>{text('types.rejected')}</p>
          <ul>
            {rejected.others.map((each) => (
              <li key={each} class="pre">
                {each}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Plan({ record }: { readonly record: ResourceRecord }) {
  const isDraft = record.lifecycle_state === 'draft';
  const values = { ref: slashed(record), provider: record.provider, project: projectText(record) };
  return (
    <div class="card" role="status">
      <p>{text(isDraft ? 'types.plan-draft' : 'types.plan', values)}</p>
      {record.message !== null && <p class="pre quiet">{record.message}</p>}
    </div>
  );
}

function Declared({ draft }: { readonly draft: Draft }) {
  const { yaml, isPartial } = draftDeclaration(draft);
  return (
    <div class="declared">
      <h2>{text('types.file')}</h2>
      <Block value={yaml} label={text('types.file')} copy={text('types.copy-yaml')} />
      {isPartial && <p class="quiet">{text('types.file-partial')}</p>}
    </div>
  );
}

// Creates a resource, or checks whether it could be created.

/** @returns the resource, or what is wrong with it by its fields. @throws ApiError for another refusal, NoAnswer, Error */
async function applyForm(
  { body, problems, places, schema }: Made,
  isDryRun: boolean,
): Promise<ResourceRecord | PlacedMessages> {
  if (problems.length > 0) return { messages: messagesOf(problems), others: [] };
  try {
    const query = { dry_run: isDryRun };
    // One that exists is not overwritten.
    const headers = { 'if-none-match': '*' };
    return await call('applyResource', { body, query, headers });
  } catch (thrown) {
    if (thrown instanceof NoAnswer && !isDryRun) {
      throw new Error(text('types.no-answer'), { cause: thrown });
    }
    if (thrown instanceof ApiError && thrown.violations.length > 0) {
      return placed(thrown.violations, places, schema);
    }
    throw thrown;
  }
}

// Shows what is wrong in a form: what the browser finds before a request, and the first field that was rejected after it.

/** @returns false when the browser shows what is missing. A draft may lack parts of its config. */
function isValid(form: HTMLFormElement | null, state: 'pending' | 'draft'): boolean {
  const wrong = [...(form?.elements ?? [])].find((each): each is HTMLInputElement => {
    if (!('validity' in each)) return false;
    const { valid, badInput } = each.validity as ValidityState;
    const isExempt = state === 'draft' && !badInput && each.closest('[data-config]') !== null;
    return !(valid || isExempt);
  });
  wrong?.reportValidity();
  return wrong === undefined;
}

/** Moves the focus to the first field with a message, or to the message when no control has it. */
function showFirst(form: HTMLFormElement | null): void {
  const message = form?.querySelector<HTMLElement>('[data-problem]');
  if (!message) return;
  const control = form?.querySelector<HTMLElement>(
    `[aria-describedby~="${CSS.escape(message.id)}"]`,
  );
  (control ?? message).focus();
}

/** @returns a sentence for each problem, by its field */
function messagesOf(problems: readonly FormProblem[]): Messages {
  return new Map(problems.map((problem) => [problem.path, [problemText(problem)]]));
}

function problemText(problem: FormProblem): string {
  if (problem.kind !== 'json') return text(`types.problem.${problem.kind}`);
  const { json } = problem;
  const { line, column, what } = json;
  return `${text('resource.json.place', { line, column })} ${text(`resource.json.${json.kind}`, { what })}`;
}
