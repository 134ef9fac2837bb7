// Shows an error to people: the sentence, the facts below it, and what to do last, where the eye is.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitCode } from '../exit-codes.ts';
import { proseLines } from '../prose.ts';
import type { Style } from '../style.ts';
import { alignedRows } from '../table.ts';
import { ApiError, withStop } from './api-error.ts';
import { CliError, type Fact } from './cli-error.ts';

interface ErrorStyle {
  readonly style: Style;
  readonly verbose: boolean;
  /** The width of the terminal. */
  readonly width?: number | undefined;
}

/** @returns the lines of an error; with `verbose` also the request id and the stack */
export function linesOfError(error: CliError, { style, verbose, width }: ErrorStyle): string[] {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return [
    ...proseLines(`${style.paint('red', 'Error:')} ${error.message}`, width),
    ...linesOfFacts(error.facts, width),
    ...(error.next === undefined ? [] : proseLines(`  ${error.next}`, width)),
    ...(verbose && requestId !== undefined ? [`  request ${requestId}`] : []),
    ...(verbose && error instanceof Defect ? linesOfStack(error) : []),
  ];
}

/** @returns facts as indented lines; neighbouring rows of cells are aligned with each other */
function linesOfFacts(facts: readonly Fact[], width?: number): string[] {
  const room = width === undefined ? undefined : width - 2;
  const rows = alignedRows(
    facts.filter((fact) => typeof fact !== 'string'),
    room,
  ).values();
  return facts.flatMap((fact) => {
    const lines = typeof fact === 'string' ? proseLines(fact, room) : (rows.next().value ?? []);
    return lines.map((line) => `  ${line}`);
  });
}

function linesOfStack(error: Error): string[] {
  const stack = (error.stack ?? '').split('\n').slice(1);
  const { cause } = error;
  if (!(cause instanceof Error)) return stack;
  return [...stack, ...`caused by ${cause.stack ?? cause.message}`.split('\n')];
}

/** @returns the error for people for anything thrown; a defect is written to a file, whose path it names */
export function asCliError(thrown: unknown, context: { version: string; now: Date }): CliError {
  if (thrown instanceof CliError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const report = [
    `fairlead ${context.version}, Node.js ${process.version}, ${process.platform} ${process.arch}`,
    context.now.toISOString(),
    ...linesOfStack(error),
  ];
  const file = join(tmpdir(), `fairlead-defect-${context.now.getTime()}.log`);
  try {
    writeFileSync(file, `${error.name}: ${error.message}\n${report.join('\n')}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
  } catch {
    return defect(error, 'fairlead … --verbose shows where.');
  }
  return defect(error, `Please report it with ${file}`);
}

/** A bug of the client: its stack helps to repair it. */
class Defect extends CliError {
  override readonly name = 'Defect';
}

function defect(cause: Error, next: string): CliError {
  return new Defect(`The client has a defect: ${withStop(cause.message)}`, {
    exit: ExitCode.failed,
    next,
    cause,
  });
}
