// Writes a comparison as the lines of `diff`, which `apply` shows before it replaces anything. The signs are those of terraform.
import type { Difference } from '../../../client/differences.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import type { Colour, Style } from '../../terminal/style.ts';
import type { ComparedDeclaration } from './compare.ts';

const signs: Readonly<Record<string, readonly [string, Colour]>> = {
  create: ['+', 'green'],
  import: ['+', 'green'],
  update: ['~', 'yellow'],
  replace: ['-/+', 'red'],
  options: ['~', 'yellow'],
  tags: ['~', 'yellow'],
  retry: ['!', 'yellow'],
};

const notes: Readonly<Record<string, string>> = {
  import: '  imported: nothing is created or changed',
  retry: '  failed, and would be processed again',
  replace: '  replace: deleted, and created again',
};

/** @returns none for what is unchanged */
export function comparedLines(compared: ComparedDeclaration, style: Style): readonly string[] {
  const { resource, change, differences, forced_by: forcedBy } = compared;
  const [sign, colour] = signs[change] ?? [' ', 'dim' as const];
  if (change === 'none') return [];
  // A reference may resolve to another value, and then its text is no difference.
  const unseen = forcedBy.filter((field) => !differences.some(({ path }) => covers(path, field)));
  return [
    style.paint(colour, `${sign} ${resource}${notes[change] ?? ''}`),
    ...differences.map((each) => {
      const isForcing = forcedBy.some((field) => covers(each.path, field));
      return `    ${differenceLine(each, style)}${isForcing ? forces(style) : ''}`;
    }),
    ...unseen.map((field) => `    ${style.paint('yellow', `~ ${field}`)}${forces(style)}`),
    ...usersLines(compared).map((line) => `    ${line}`),
  ];
}

/** Returns whether one of two fields is, or contains, the other. */
function covers(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || field.startsWith(`${path}.`);
}

function forces(style: Style): string {
  return style.paint('red', '  # forces replacement');
}

function usersLines({ resource, change, users, obstacle }: ComparedDeclaration): readonly string[] {
  const names = users.join(', ');
  const isReplaced = change === 'replace';
  const then = isReplaced ? 'not replaced while they use it' : 'updated when an output changes';
  return [
    ...(obstacle === 'protected'
      ? [shell`protected: not replaced before fairlead unprotect ${resource}`]
      : []),
    ...(users.length === 0 ? [] : [`used by ${names}: ${then}`]),
  ];
}

function differenceLine({ path, before, after }: Difference, style: Style): string {
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
