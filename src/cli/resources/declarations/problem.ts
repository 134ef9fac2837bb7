// Reports everything that is wrong in files at once, each problem with its line and column.

import { counted } from '../../../client/time.ts';
import { nearest } from '../../../lib/nearest.ts';
import { CliError, type Fact } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export interface Problem {
  /** Such as `shop.yaml:4:20`. */
  readonly place: string;
  /** The field, such as `config.owner`; empty for a whole document. */
  readonly field: string;
  readonly message: string;
}

export type Report = (problem: Problem) => void;

/** In the order of the files: problems of the syntax are found first. */
function problemFacts(problems: readonly Problem[]): Fact[] {
  const files = [...new Set(problems.map(({ place }) => fileOf(place)))];
  const hasFields = problems.some(({ field }) => field !== '');
  return problems
    .toSorted(
      (left, right) =>
        files.indexOf(fileOf(left.place)) - files.indexOf(fileOf(right.place)) ||
        lineNumber(left.place) - lineNumber(right.place),
    )
    .map(({ place, field, message }) => (hasFields ? [place, field, message] : [place, message]));
}

/** @returns the file of a place `FILE:LINE:COLUMN` */
export function fileOf(place: string): string {
  return place.replace(/:\d+:\d+$/, '');
}

function lineNumber(place: string): number {
  return Number(/:(\d+):\d+$/.exec(place)?.[1] ?? 0);
}

/** @throws CliError when there are problems */
export function requireNone(problems: readonly Problem[], next = 'Nothing was sent.'): void {
  if (problems.length === 0) return;
  throw new CliError(`The files have ${counted(problems.length, 'problem')}.`, {
    exit: ExitCode.usage,
    facts: problemFacts(problems),
    next,
  });
}

/** @param known the fields that there are */
export function unknownField(name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known);
  return `unknown field${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}
