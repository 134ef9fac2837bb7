// Runs one command line: parse, set up the surroundings of the command, load and run it, show its error, return the exit code.
import { Api, type TokenSource } from '../session/api/client.ts';
import { closeConnections } from '../session/api/transport.ts';
import { resolveContext } from '../session/context/resolve.ts';
import type { Invocation } from '../session/invocation.ts';
import { isCritical } from '../session/login/critical.ts';
import { tokenSourceFor } from '../session/login/tokens.ts';
import { type Environment, hasColours, hasUnicode, variableIn } from '../terminal/environment.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { Interrupted, usageError } from '../terminal/errors/cli-error.ts';
import { asCliError, linesOfError } from '../terminal/errors/present.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { Flags, type RawFlags } from '../terminal/flags.ts';
import { formatOf } from '../terminal/format.ts';
import { Output } from '../terminal/output.ts';
import { Questions } from '../terminal/questions.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { Talk } from '../terminal/talk.ts';
import { clientVersion } from './client-version.ts';
import type { Command, Run } from './command.ts';
import { globalFlags } from './global-flags.ts';
import { type HelpWanted, type Parsed, parseCommandLine } from './program.ts';
import { commands } from './table/index.ts';

/** @param interrupt aborted by Ctrl-C */
export async function run(
  argv: readonly string[],
  environment: Environment,
  interrupt: AbortSignal,
): Promise<ExitCode> {
  let talk = talkFor(environment, new Flags(globalFlags, {}));
  try {
    const parsed = parseCommandLine(withVersionFlag(argv), commands);
    const globals = new Flags(globalFlags, environmentFlags(parsed.globals, environment));
    talk = talkFor(environment, globals);
    if (parsed.kind !== 'command')
      return await showHelp(parsed, { environment, globals, talk, interrupt });
    const invocation = invocationFor(parsed, { environment, globals, talk, interrupt });
    const command = await parsed.command.load();
    return await carryOut(command, invocation);
  } catch (thrown) {
    const reason: unknown = interrupt.aborted ? interrupt.reason : thrown;
    const error = asCliError(reason, { version: clientVersion, now: environment.now() });
    // Ctrl-C needs no message; commands report work that continues on the server.
    if (!(error instanceof Interrupted)) talk.lines(linesOfError(error, talk));
    return error.exit;
  } finally {
    closeConnections();
  }
}

async function carryOut(command: Run, invocation: Invocation): Promise<ExitCode> {
  try {
    return (await command(invocation)) ?? ExitCode.done;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    // A name that does not exist is perhaps misspelt.
    const { withMeant } = await import('../session/meant.ts');
    throw await withMeant(thrown, invocation.api);
  }
}

interface CliSurroundings {
  readonly environment: Environment;
  readonly globals: Flags;
  readonly talk: Talk;
  readonly interrupt: AbortSignal;
}

/** `--version` and `-V` are spellings of the command, as most programs have it. */
function withVersionFlag(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  return first === '--version' || first === '-V' ? ['version', '--client', ...rest] : argv;
}

function environmentFlags(globals: RawFlags, environment: Environment): RawFlags {
  const output = variableIn(environment, 'FAIRLEAD_OUTPUT');
  return output === undefined ? globals : { output, ...globals };
}

function talkFor(environment: Environment, globals: Flags): Talk {
  return new Talk({
    environment,
    style: styleFor(environment, globals, 'stderr'),
    quiet: globals.on('quiet'),
    verbose: globals.on('verbose'),
  });
}

function styleFor(environment: Environment, globals: Flags, stream: 'stdout' | 'stderr'): Style {
  return styleOf({
    colours: globals.on('color') && hasColours(environment, stream),
    unicode: hasUnicode(environment),
  });
}

function invocationFor(
  { command, args, flags }: Pick<Parsed, 'command' | 'args' | 'flags'>,
  { environment, globals, talk, interrupt }: CliSurroundings,
): Invocation {
  const output = new Output({
    environment,
    format: formatOf(globals.text('output') ?? 'table'),
    style: styleFor(environment, globals, 'stdout'),
  });
  const questions = new Questions({
    environment,
    yes: globals.on('yes'),
    noInput: !globals.on('input'),
    signal: interrupt,
  });
  const context = once(() => resolveContext(environment, globals));
  const apiAt = (url: URL, tokens: TokenSource) =>
    new Api({ url, tokens, talk, signal: interrupt, userAgent: `fairlead/${clientVersion}` });
  const api = once(async () => {
    const resolved = await context();
    return apiAt(resolved.url, await tokenSourceFor(resolved, { environment, globals }));
  });
  return {
    args,
    flags: new Flags(command.flags ?? [], flags),
    globals,
    environment,
    output,
    talk,
    questions,
    signal: interrupt,
    timeoutMs: globals.duration('timeout'),
    version: clientVersion,
    context,
    api,
    apiAt,
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function showHelp(
  { kind, command, group }: HelpWanted,
  surroundings: CliSurroundings,
): Promise<ExitCode> {
  if (kind === 'start') return await performCommand('start', [], surroundings);
  if (command !== undefined) return await performCommand('help', command.words, surroundings);
  return await performCommand('help', group === undefined ? [] : [group], surroundings);
}

/** Runs the command of one word of the table. */
async function performCommand(
  word: string,
  args: readonly string[],
  surroundings: CliSurroundings,
): Promise<ExitCode> {
  const command = commandNamed(word);
  const run = await command.load();
  return (await run(invocationFor({ command, args, flags: {} }, surroundings))) ?? ExitCode.done;
}

function commandNamed(word: string): Command {
  const command = commands.find(({ words }) => words.length === 1 && words[0] === word);
  if (command === undefined) throw usageError(`There is no command ${word}.`, 'fairlead help');
  return command;
}

/** Aborts a signal on Ctrl-C and on SIGTERM; a second one ends the process at once. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted && !isCritical()) process.exit(ExitCode.interrupted);
      controller.abort(new Interrupted());
    });
  }
  return controller.signal;
}
