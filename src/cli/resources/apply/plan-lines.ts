// Writes a plan as the lines of `diff`, which `apply` shows before a question.
import type { MemberPlan } from '../../../api/shapes.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Style } from '../../terminal/style.ts';
import type { BatchesPlan } from './batch.ts';
import { changeWords } from './changes.ts';

/** The part of a plan that its lines show. */
export type LinedPlan = Pick<BatchesPlan, 'members' | 'touches'>;

/** @returns none for what is unchanged */
export function planLines(plan: LinedPlan, style: Style): readonly string[] {
  return plan.members.flatMap((member) => memberLines(member, plan, style));
}

function memberLines(member: MemberPlan, plan: LinedPlan, style: Style): readonly string[] {
  const { resource, differences, forced_by: forcedBy } = member;
  const { sign, colour, note, isSame } = changeWords(member);
  if (isSame) return [];
  // A reference may resolve to another value, and then its text is no difference.
  const unseen = forcedBy.filter((field) => !differences.some(({ path }) => covers(path, field)));
  return [
    style.paint(colour, `${sign} ${resource}${note === undefined ? '' : `  ${note}`}`),
    ...differences.map((each) => {
      const isForcing = forcedBy.some((field) => covers(each.path, field));
      return `    ${differenceLine(each, style)}${isForcing ? forces(style) : ''}`;
    }),
    ...unseen.map((field) => `    ${style.paint('yellow', `~ ${field}`)}${forces(style)}`),
    ...factLines(member, usersIn(plan, resource)).map((line) => `    ${line}`),
  ];
}

/** @returns the resources, in the plan and beside it, that are updated when an output of one changes */
export function usersIn({ members, touches }: LinedPlan, ref: string): readonly string[] {
  // One that is replaced says so itself.
  const updated = members.filter(({ change }) => change !== 'replace');
  const within = updated.filter(({ known_after }) =>
    known_after.some(({ resource }) => resource === ref),
  );
  const beside = touches.filter(({ through }) => through === ref);
  return [...new Set([...within, ...beside].map(({ resource }) => resource))];
}

/** Returns whether one of two fields is, or contains, the other. */
function covers(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}

function forces(style: Style): string {
  return style.paint('red', '  # forces replacement');
}

function factLines(member: MemberPlan, users: readonly string[]): readonly string[] {
  const { resource, change, blocked_by: blocked, waits_for, drift } = member;
  // Users of what is new are new, too, or wait for it.
  const isNew = change === 'create' || change === 'import';
  return [
    ...Object.entries(member.known_outputs ?? {}).map(
      ([name, value]) => `output ${safeLine(name)}: ${jsonLine(value)}`,
    ),
    ...(drift === true ? [shell`has drifted: fairlead get ${resource}`] : []),
    ...(waits_for.length === 0 || changeWords(member).isSilent
      ? []
      : [`waits for ${waits_for.join(', ')}`]),
    ...(users.length === 0 || isNew
      ? []
      : [`used by ${users.join(', ')}: updated when an output changes`]),
    ...(blocked === null ? [] : [`refused now: ${safeLine(blocked.message)}`]),
  ];
}

function differenceLine(
  { path, before, after }: MemberPlan['differences'][number],
  style: Style,
): string {
  if (before === undefined) return style.paint('green', `+ ${path}: ${jsonLine(after)}`);
  if (after === undefined) return style.paint('red', `- ${path}: ${jsonLine(before)}`);
  const change =
    jsonLine(before) === jsonLine(after)
      ? `${jsonLine(after)} (another value)`
      : `${jsonLine(before)} → ${jsonLine(after)}`;
  return style.paint('yellow', `~ ${path}: ${change}`);
}

function jsonLine(value: unknown): string {
  return safeLine(JSON.stringify(value));
}
