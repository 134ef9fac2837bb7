// Computes what may follow the words of a command line, from the command table.

import type { Completes, Flag } from '../../terminal/flag.ts';
import { type Argument, type Command, commandName } from '../command.ts';
import { globalFlags } from '../global-flags.ts';
import { optionTable } from '../program.ts';

export interface Candidates {
  readonly candidates: readonly { readonly value: string; readonly about: string }[];
  /** Names from the file system or the API; undefined when the value has no names. */
  readonly kind:
    | 'file'
    | 'resource'
    | 'provider'
    | 'type'
    | 'project'
    | 'set'
    | 'context'
    | undefined;
  /** The typed part of the last word. */
  readonly typed: string;
}

/** @param words after `fairlead`; the last is being typed, perhaps empty */
export function candidatesFor(words: readonly string[], commands: readonly Command[]): Candidates {
  // bash gives the `=` of --state=failed as a word of its own.
  const parts = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const typed = (parts.at(-1) ?? '').replace(/^=$/, '');
  const before = readWords(parts.slice(0, -1), commands);
  if (before.open !== undefined) return ofFlag(before.open, typed);
  const inline = /^(--[a-z-]+)=(.*)$/s.exec(typed);
  if (inline !== null) {
    const [, name = '', value = ''] = inline;
    const flag = flagNamed(name, before.command);
    return flag === undefined ? none(typed) : withPrefix(ofFlag(flag, value), `${name}=`, typed);
  }
  if (typed.startsWith('-')) return ofFlags(before.command, typed);
  if (before.command !== undefined && before.isComplete) {
    return ofArgument(before.command, before, typed);
  }
  return before.arguments.length > 0 ? none(typed) : ofWords(before.words, commands, typed);
}

interface CompletionRequest {
  readonly words: readonly string[];
  readonly command: Command | undefined;
  /** Whether no longer command begins with the words. */
  readonly isComplete: boolean;
  readonly arguments: readonly string[];
  /** The words that begin with a dash. */
  readonly flags: readonly string[];
  /** A flag whose value comes next. */
  readonly open: Flag | undefined;
}

function readWords(given: readonly string[], commands: readonly Command[]): CompletionRequest {
  const words: string[] = [];
  const rest: string[] = [];
  const flags: string[] = [];
  let open: Flag | undefined;
  for (const word of given) {
    if (open !== undefined) open = undefined;
    else if (word.startsWith('-')) {
      flags.push(word);
      open = flagAwaitingValue(word, commandAt(words, commands));
    } else (rest.length === 0 && hasWord([...words, word], commands) ? words : rest).push(word);
  }
  const command = commandAt(words, commands);
  const isComplete = rest.length > 0 || !hasWord([...words, undefined], commands);
  return { words, command, isComplete, arguments: rest, flags, open };
}

function flagAwaitingValue(word: string, command: Command | undefined): Flag | undefined {
  const flag = word.includes('=') ? undefined : flagNamed(word, command);
  return flag?.value === undefined ? undefined : flag;
}

/** @param beginning words; undefined stands for any */
function hasWord(
  beginning: readonly (string | undefined)[],
  commands: readonly Command[],
): boolean {
  return commands.some(
    ({ words }) =>
      words.length >= beginning.length &&
      beginning.every((word, at) => word === undefined || word === words[at]),
  );
}

function commandAt(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const text = words.join(' ');
  return commands.find((command) => commandName(command) === text);
}

function flagNamed(text: string, command: Command | undefined): Flag | undefined {
  return [...(command?.flags ?? []), ...globalFlags].find(
    ({ name, short }) => text === `--${name}` || (short !== undefined && text === `-${short}`),
  );
}

function ofWords(
  words: readonly string[],
  commands: readonly Command[],
  typed: string,
): Candidates {
  const next = new Map<string, string>();
  for (const { words: each, summary, hidden } of commands) {
    const word = each[words.length];
    if (hidden === true || word === undefined || !word.startsWith(typed)) continue;
    if (!words.every((given, at) => given === each[at])) continue;
    next.set(word, each.length > words.length + 1 ? `Commands of ${word}` : summary);
  }
  const candidates = [...next].map(([value, about]) => ({ value, about }));
  return { candidates, kind: undefined, typed };
}

function ofFlags(command: Command | undefined, typed: string): Candidates {
  const options = optionTable([...(command?.flags ?? []), ...globalFlags]);
  const candidates = [...options]
    .map(([name, { flag }]) => ({ value: `--${name}`, about: flag.about }))
    .filter(({ value }) => value.startsWith(typed));
  return { candidates, kind: undefined, typed };
}

function ofFlag(flag: Flag, typed: string): Candidates {
  if (flag.value === undefined) return none(typed);
  return ofKind(flag.choices ?? flag.completes, typed);
}

function ofArgument(
  { arguments: list = [] }: Command,
  { arguments: given, flags }: Pick<CompletionRequest, 'arguments' | 'flags'>,
  typed: string,
): Candidates {
  const last: Argument | undefined = list.at(-1);
  const argument = list[given.length] ?? (last?.repeatable === true ? last : undefined);
  const other = argument?.afterFlag;
  const isOther = flags.some((each) =>
    other?.flags.some((name) => each.split('=')[0] === `--${name}`),
  );
  return ofKind(isOther ? other?.completes : argument?.completes, typed);
}

function ofKind(completes: Completes | undefined, typed: string): Candidates {
  if (completes === undefined) return none(typed);
  if (typeof completes === 'string') return { candidates: [], kind: completes, typed };
  const candidates = completes
    .filter((value) => value.startsWith(typed))
    .map((value) => ({ value, about: '' }));
  return { candidates, kind: undefined, typed };
}

function withPrefix(found: Candidates, prefix: string, typed: string): Candidates {
  const candidates = found.candidates.map((each) => ({ ...each, value: prefix + each.value }));
  return { ...found, candidates, typed };
}

function none(typed: string): Candidates {
  return { candidates: [], kind: undefined, typed };
}
