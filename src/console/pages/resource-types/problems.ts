// Shows what is wrong in a form: what the browser finds before a request, and the first field that was rejected after it.

import type { FormProblem } from './form/value.ts';
import type { Messages } from './form/violations.ts';
import { text } from './text.ts';

/** @returns false when the browser shows what is missing. A draft may lack parts of its config. */
export function isValid(form: HTMLFormElement | null, state: 'pending' | 'draft'): boolean {
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
export function showFirst(form: HTMLFormElement | null): void {
  const message = form?.querySelector<HTMLElement>('[data-problem]');
  if (!message) return;
  const control = form?.querySelector<HTMLElement>(
    `[aria-describedby~="${CSS.escape(message.id)}"]`,
  );
  (control ?? message).focus();
}

/** @returns a sentence for each problem, by its field */
export function messagesOf(problems: readonly FormProblem[]): Messages {
  return new Map(problems.map((problem) => [problem.path, [problemText(problem)]]));
}

function problemText(problem: FormProblem): string {
  if (problem.kind !== 'json') return text(`types.problem.${problem.kind}`);
  const { json } = problem;
  const { line, column, what } = json;
  return `${text('resource.json.place', { line, column })} ${text(`resource.json.${json.kind}`, { what })}`;
}
