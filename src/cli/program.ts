// Builds the grammar from the command table for commander, which parses the command line. A command is loaded when it is chosen.
import { CommanderError, Option, Command as Parser } from 'commander';
import type { Argument, Command } from './command.ts';
import { type CliError, usageError } from './errors/cli-error.ts';
import { insteadOfCommand, withOwnFlags } from './errors/kubectl.ts';
import type { Flag } from './flag.ts';
import type { RawFlags } from './flags.ts';
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

/**
 * The grammar is built of the commands that the line may name, which saves milliseconds; only for suggestions it needs all.
 * @throws CliError for a command line that fits no command
 */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
): Parsed | HelpWanted {
  const all = [...spellings(commands)];
  const likely = all.filter(({ words: [first] }) => argv.includes(first));
  try {
    return grammarOf(likely).parse(argv);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.code !== 'commander.unknownCommand' && likely.length > 0)
      throw refused(thrown, argv);
  }
  try {
    return grammarOf(all).parse(argv);
  } catch (thrown) {
    throw thrown instanceof CommanderError ? refused(thrown, argv) : thrown;
  }
}

function grammarOf(list: readonly Spelling[]): Grammar {
  const grammar = new Grammar();
  for (const spelling of list) grammar.add(spelling);
  return grammar;
}

class Grammar {
  readonly #program = configured(new Parser('fairlead'));
  readonly #groups = new Map<string, Parser>();
  #result: Parsed | HelpWanted = { kind: 'start', globals: {} };

  constructor() {
    for (const flag of globalFlags) addFlag(this.#program, flag);
    this.#program.addHelpText('before', ({ error }) => this.#help(error ? 'start' : 'help', {}));
  }

  add({ words, command, isDefault }: Spelling): void {
    const parent = this.#group(words.slice(0, -1));
    const parser = configured(parent.command(words.at(-1) ?? '', { isDefault }));
    for (const argument of command.arguments ?? []) addArgument(parser, argument);
    for (const flag of command.flags ?? []) addFlag(parser, flag);
    parser.action(() => this.#choose(command, parser));
    parser.addHelpText('before', () => this.#help('help', { command }));
  }

  /** @throws CommanderError */
  parse(argv: readonly string[]): Parsed | HelpWanted {
    try {
      this.#program.parse(argv, { from: 'user' });
    } catch (thrown) {
      if (!(thrown instanceof CommanderError) || !thrown.code.startsWith('commander.help'))
        throw thrown;
    }
    return this.#result;
  }

  /** @returns the parser below which the last word of a command is, such as that of `project` */
  #group(words: readonly string[]): Parser {
    const [word = '', ...before] = words.toReversed();
    if (words.length === 0) return this.#program;
    const name = words.join(' ');
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = configured(this.#group(before.toReversed()).command(word));
    group.addHelpText('before', () => this.#help('help', { group: name }));
    this.#groups.set(name, group);
    return group;
  }

  /** commander calls it where it would print help; the client prints its own. */
  #help(kind: HelpWanted['kind'], wanted: Omit<HelpWanted, 'kind' | 'globals'>): string {
    this.#result = { kind, globals: valuesOf(this.#program, globalFlags), ...wanted };
    return '';
  }

  #choose(command: Command, parser: Parser): void {
    const globals = valuesOf(this.#program, globalFlags);
    const flags = valuesOf(parser, command.flags ?? []);
    this.#result = { kind: 'command', command, args: parser.args, flags, globals };
  }
}

interface Spelling {
  readonly words: readonly [string, ...string[]];
  readonly command: Command;
  readonly isDefault: boolean;
}

function* spellings(commands: readonly Command[]): Iterable<Spelling> {
  for (const command of commands) {
    yield { words: command.words, command, isDefault: command.isDefault === true };
    for (const words of command.aliases ?? []) yield { words, command, isDefault: false };
  }
}

function configured(parser: Parser): Parser {
  return parser
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .configureHelp({ formatHelp: () => '' })
    .helpCommand(false)
    .helpOption('-h, --help');
}

function addArgument(parser: Parser, { name, optional, repeatable }: Argument): void {
  const text = repeatable === true ? `${name}...` : name;
  parser.argument(optional === true ? `[${text}]` : `<${text}>`);
}

function addFlag(parser: Parser, flag: Flag): void {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  if (flag.value === undefined) {
    const { is = 'on', name } = flag;
    if (is !== 'off') parser.addOption(new Option(`${short}--${name}`));
    if (is !== 'on') parser.addOption(new Option(`${is === 'off' ? short : ''}--no-${name}`));
    // Otherwise commander takes a lone --no-x for x being on.
    parser.setOptionValue(attributeOf(flag), undefined);
    return;
  }
  const option = new Option(`${short}--${flag.name} <${flag.value}>`);
  if (flag.choices !== undefined) option.choices(flag.choices);
  if (flag.repeatable === true) {
    option.argParser((value: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      value,
    ]);
  }
  parser.addOption(option);
}

function attributeOf({ name }: Flag): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function valuesOf(parser: Parser, flags: readonly Flag[]): RawFlags {
  const values: Record<string, unknown> = parser.opts();
  return Object.fromEntries(
    flags
      .map((flag) => [flag.name, values[attributeOf(flag)]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** commander's messages, as sentences of the client. */
function refused({ code, message }: CommanderError, argv: readonly string[]): CliError {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (?:one of )?(.*?)\?\)$/s, '; did you mean $1?');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const [known, second] = argv.filter((word) => !word.startsWith('-'));
  // The default command of a noun got it as an argument that it does not have.
  if (code === 'commander.excessArguments' && known !== undefined && text.includes(`: ${second}`)) {
    return usageError(`Unknown command '${known} ${second}'.`, `fairlead ${known} --help`);
  }
  const isCommand = code === 'commander.unknownCommand' || known === undefined;
  const own = code === 'commander.unknownCommand' ? insteadOfCommand(argv) : withOwnFlags(argv);
  const next = own ?? (isCommand ? 'fairlead help' : `fairlead ${known} --help`);
  return usageError(/[.?]$/.test(sentence) ? sentence : `${sentence}.`, next);
}
