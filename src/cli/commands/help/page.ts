// Writes the help of the program and of each command from the command table.

import type { Flag } from '../../terminal/flag.ts';
import type { Style } from '../../terminal/style.ts';
import { aligned } from '../../terminal/table.ts';
import { type Command, categories, commandName } from '../command.ts';
import { globalFlags } from '../global-flags.ts';

/** @returns `fairlead get [SELECTOR...] [flags]` */
export function usageOf(command: Command): string {
  const words = (command.arguments ?? []).map(({ name, optional, repeatable }) => {
    const text = repeatable === true ? `${name}...` : name;
    return optional === true ? `[${text}]` : text;
  });
  const flags = (command.flags ?? []).length > 0 ? ['[flags]'] : [];
  return ['fairlead', commandName(command), ...words, ...flags].join(' ');
}

/** @returns `-l, --tag TAG` */
export function flagText(flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  if (flag.value !== undefined) return `${short}--${flag.name} ${flag.value}`;
  if (flag.is === 'both') return `${short}--${flag.name}, --no-${flag.name}`;
  return flag.is === 'off' ? `${short}--no-${flag.name}` : `${short}--${flag.name}`;
}

/** @returns what a flag means, with its choices and its default */
export function flagMeaning(flag: Flag): string {
  if (flag.value === undefined) return flag.about;
  const { about, choices, standard, repeatable } = flag;
  const notes = [
    ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(standard === undefined ? [] : [`default ${standard}`]),
    ...(repeatable === true ? ['repeatable'] : []),
  ];
  return notes.length === 0 ? about : `${about} (${notes.join('; ')})`;
}

/** @returns the help of one command */
export function commandHelp(command: Command, style: Style, width?: number): string {
  const flags = command.flags ?? [];
  const parts = [
    `${command.summary}.`,
    ...[command.description ?? []].flat(),
    section('Usage', [[usageOf(command)]], { style, width }),
    section(
      'Arguments',
      (command.arguments ?? []).map(({ name, about }) => [name, about]),
      { style, width },
    ),
    section('Flags', flags.map(flagRow), { style, width }),
    section('Examples', Object.entries(command.examples ?? {}), { style, width }),
    'Flags of every command: fairlead help flags',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @returns the help of the program: the commands by category */
export function programHelp(commands: readonly Command[], style: Style, width?: number): string {
  const sections = categories.map((category) => {
    const rows = commands
      .filter((command) => command.category === category && command.hidden !== true)
      .map((command) => [usageOf(command).slice('fairlead '.length), command.summary]);
    return section(category, rows, { style, width });
  });
  return [
    'fairlead declares resources and waits until providers make them real.',
    ...sections.filter((each) => each !== ''),
    'Help of a command: fairlead COMMAND --help.  Topics: fairlead help TOPIC',
  ].join('\n\n');
}

/** @returns the help of a noun: the commands that begin with it */
export function groupHelp(
  word: string,
  commands: readonly Command[],
  { style, width }: { style: Style; width?: number | undefined },
): string {
  const rows = commands
    .filter(({ words, hidden }) => words[0] === word && hidden !== true)
    .map((command) => [usageOf(command), command.summary]);
  return section(`Commands of ${word}`, rows, { style, width });
}

/** @returns the flags of every command */
export function globalHelp(style: Style, width?: number): string {
  return section('Flags of every command', globalFlags.map(flagRow), { style, width });
}

function flagRow(flag: Flag): readonly string[] {
  return [flagText(flag), flagMeaning(flag)];
}

function section(
  title: string,
  rows: readonly (readonly string[])[],
  { style, width }: { style: Style; width?: number | undefined },
): string {
  if (rows.length === 0) return '';
  const lines = aligned(rows, width === undefined ? undefined : width - 2);
  return [style.paint('bold', title), ...lines.map((line) => `  ${line}`)].join('\n');
}
