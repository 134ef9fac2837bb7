// Reads a command line by the command table. `parseArgs` of Node.js splits it; a command is loaded when it is chosen.
import { parseArgs } from 'node:util';
import { nearest } from '../../lib/nearest.ts';
import { type CliError, usageError } from '../terminal/errors/cli-error.ts';
import { insteadOfCommand, withOwnFlags } from '../terminal/errors/kubectl.ts';
import type { Flag } from '../terminal/flag.ts';
import type { RawFlags } from '../terminal/flags.ts';
import { type Command, commandName } from './command.ts';
import { globalFlags } from './global-flags.ts';

/** A command line that names a command. */
export interface Parsed {
  readonly kind: 'command';
  readonly command: Command;
  readonly args: readonly string[];
  readonly flags: RawFlags;
  readonly globals: RawFlags;
}

/** A command line that asks for help: of a command, of a noun such as `project`, or of the program. */
export interface HelpWanted {
  /** `start` for a command line without a command. */
  readonly kind: 'help' | 'start';
  readonly command?: Command;
  readonly group?: string;
  readonly globals: RawFlags;
}

/** @throws CliError for a command line that fits no command */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
): Parsed | HelpWanted {
  const words = leadingWords(argv);
  const { command, group, depth } = chooseCommand(words, commands);
  const { flags = [] } = command ?? {};
  const { positionals, values, refusal } = readOptions(argv, [...globalFlags, ...flags]);
  const globals = flagValues(globalFlags, values);
  const help = { globals, ...(group === undefined ? command && { command } : { group }) };
  if (values.has(helpFlag)) return { kind: 'help', ...help };
  const args = positionals.slice(depth);
  // The default command of a noun may take the word as an argument.
  const isTaken =
    command !== undefined && (group === undefined || args.length <= maxArguments(command));
  if (depth < words.length && !isTaken) throw unknownCommand(words, depth, commands);
  if (refusal !== undefined) throw invalidUsage(refusal, argv, command);
  if (command === undefined) return { kind: group === undefined ? 'start' : 'help', ...help };
  checkCount(args, command);
  return { kind: 'command', command, args, flags: flagValues(flags, values), globals };
}

/** @returns the words before the first flag of a command: they name the command, and its arguments may follow */
function leadingWords(argv: readonly string[]): readonly string[] {
  const options = optionTable(globalFlags);
  const words: string[] = [];
  for (const token of splitArguments(argv, options)) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind === 'option' && !options.has(token.name)) break;
  }
  return words;
}

interface CommandChoice {
  readonly command?: Command;
  /** The words that several commands begin with, such as `project`; then `command` is the default of them. */
  readonly group?: string;
  /** How many words name the command or the group. */
  readonly depth: number;
}

function chooseCommand(words: readonly string[], commands: readonly Command[]): CommandChoice {
  for (let depth = words.length; depth > 0; depth -= 1) {
    const start = words.slice(0, depth);
    const below = commands.filter((each) => start.every((word, at) => word === each.words[at]));
    const command = below.find(({ words: { length } }) => length === depth);
    if (command !== undefined) return { command, depth };
    if (below.length === 0) continue;
    const standard = below.find(({ isDefault }) => isDefault === true);
    const group = start.join(' ');
    return standard === undefined ? { group, depth } : { command: standard, group, depth };
  }
  return { depth: 0 };
}

/** The target of a long name: a switch, or the value that follows. */
interface Option {
  readonly flag: Flag;
  readonly short?: string | undefined;
  readonly sets: boolean | 'value';
}

const helpFlag: Flag = { name: 'help', short: 'h', about: 'Show help' };

/** @returns the flags by their long names, of which a switch may have two: `wait` and `no-wait` */
export function optionTable(flags: readonly Flag[]): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const flag of [...flags, helpFlag]) {
    const { name, short } = flag;
    if (flag.value !== undefined) {
      options.set(name, { flag, short, sets: 'value' });
      continue;
    }
    const { is = 'on' } = flag;
    if (is !== 'off') options.set(name, { flag, short, sets: true });
    if (is === 'off') options.set(`no-${name}`, { flag, short, sets: false });
    if (is === 'both') options.set(`no-${name}`, { flag, sets: false });
  }
  return options;
}

function splitArguments(argv: readonly string[], options: ReadonlyMap<string, Option>) {
  const config = [...options].map(([name, { short, sets }]) => {
    const type = sets === 'value' ? ('string' as const) : ('boolean' as const);
    return [name, { type, ...(short !== undefined && { short }) }] as const;
  });
  // Not strict: the sentences about what does not fit are those of the client.
  return parseArgs({
    args: [...argv],
    options: Object.fromEntries(config),
    strict: false,
    tokens: true,
  }).tokens;
}

interface ReadOptions {
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<Flag, unknown>;
  /** Why the first option that does not fit is refused. */
  readonly refusal: string | undefined;
}

function readOptions(argv: readonly string[], flags: readonly Flag[]): ReadOptions {
  const options = optionTable(flags);
  const values = new Map<Flag, unknown>();
  const positionals: string[] = [];
  const refusals: string[] = [];
  for (const token of splitArguments(argv, options)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = options.get(token.name);
    if (option === undefined) {
      refusals.push(unknownOption(token.rawName, options));
      continue;
    }
    const problem = flagProblem(token.value, option, token.rawName);
    if (problem !== undefined) refusals.push(problem);
    else values.set(option.flag, newValue(token.value, option, values.get(option.flag)));
  }
  return { positionals, values, refusal: refusals[0] };
}

function flagProblem(
  value: string | undefined,
  { flag }: Option,
  given: string,
): string | undefined {
  if (flag.value === undefined) {
    return value === undefined ? undefined : `${given} takes no value, has "${value}".`;
  }
  if (value === undefined) return `${given} needs a value: ${flag.value}.`;
  if (flag.choices === undefined || flag.choices.includes(value)) return undefined;
  return `--${flag.name} must be one of ${flag.choices.join(', ')}, is "${value}".`;
}

function newValue(text: string | undefined, { flag, sets }: Option, before: unknown): unknown {
  if (sets !== 'value') return sets;
  if (flag.value === undefined || flag.repeatable !== true) return text;
  return [...((before as readonly string[] | undefined) ?? []), text];
}

function unknownOption(given: string, options: ReadonlyMap<string, Option>): string {
  const meant = given.startsWith('--') ? nearest(given.slice(2), options.keys()) : undefined;
  return `Unknown option '${given}'${meant === undefined ? '.' : `; did you mean --${meant}?`}`;
}

function flagValues(flags: readonly Flag[], values: ReadonlyMap<Flag, unknown>): RawFlags {
  return Object.fromEntries(
    flags.flatMap((flag) => (values.has(flag) ? [[flag.name, values.get(flag)]] : [])),
  );
}

function invalidUsage(sentence: string, argv: readonly string[], command?: Command): CliError {
  const help = command === undefined ? 'help' : `${commandName(command)} --help`;
  return usageError(sentence, withOwnFlags(argv) ?? `fairlead ${help}`);
}

function unknownCommand(
  words: readonly string[],
  depth: number,
  commands: readonly Command[],
): CliError {
  const [before, word = ''] = [words.slice(0, depth), words[depth]];
  const siblings = commands.filter(
    (each) => each.hidden !== true && before.every((name, at) => each.words[at] === name),
  );
  const near = nearest(word, new Set(siblings.flatMap((each) => each.words[depth] ?? [])));
  const meant = near === undefined ? '.' : `; did you mean ${[...before, near].join(' ')}?`;
  const help = depth === 0 ? 'help' : `${before.join(' ')} --help`;
  return usageError(
    `Unknown command '${[...before, word].join(' ')}'${meant}`,
    insteadOfCommand(words) ?? `fairlead ${help}`,
  );
}

function maxArguments({ arguments: wanted = [] }: Command): number {
  return wanted.at(-1)?.repeatable === true ? Number.POSITIVE_INFINITY : wanted.length;
}

function checkCount(args: readonly string[], command: Command): void {
  const { arguments: wanted = [] } = command;
  const name = commandName(command);
  const missing = wanted.filter(({ optional }) => optional !== true)[args.length];
  if (missing !== undefined) {
    throw usageError(`The argument ${missing.name} is missing.`, `fairlead ${name} --help`);
  }
  if (args.length <= maxArguments(command)) return;
  const extra = args.slice(wanted.length).map((each) => `'${each}'`);
  throw usageError(`'${name}' does not take ${extra.join(', ')}.`, `fairlead ${name} --help`);
}
