// Which types need no check, because nothing of theirs changed since the last one. Pure.
import type { CheckedType, CheckInput } from './check-program.ts';

/** The inputs of a round of checks, besides the code of others. */
export interface CheckedInput {
  readonly input: Pick<CheckInput, 'cases' | 'settings'>;
  /** URLs of the files of the package, with what changes when they are written. */
  readonly files: ReadonlyMap<string, string>;
}

export interface Round {
  readonly seen: CheckedInput;
  readonly types: readonly CheckedType[];
}

const code = /\.[cm]?[jt]sx?$/;
/** They are compared as cases. */
const examples = /\.(?:example|changed)\.ya?ml$/;

/** @returns the names of the types that were checked before, and would be checked again in the same way */
export function unchangedTypes(before: Round | undefined, now: CheckedInput): readonly string[] {
  if (before === undefined) return [];
  const changed = changedFiles(before.seen.files, now.files);
  // A file that is no module may be read by any of them.
  const isShared = changed.some((url) => !code.test(url) && !examples.test(url));
  if (isShared || !isSameJson(before.seen.input.settings, now.input.settings)) return [];
  const { cases } = before.seen.input;
  return before.types
    .filter(
      ({ resource, files }) =>
        isSameJson(cases[resource], now.input.cases[resource]) &&
        !files.some((url) => changed.includes(url)),
    )
    .map(({ resource }) => resource);
}

/** @returns files that were written, added or removed */
function changedFiles(
  before: CheckedInput['files'],
  now: CheckedInput['files'],
): readonly string[] {
  const all = new Set([...before.keys(), ...now.keys()]);
  return [...all].filter((url) => before.get(url) !== now.get(url));
}

/** @returns the types of a report, with the problems and files of an earlier check where they were skipped */
export function withEarlier(
  types: readonly CheckedType[],
  before: Round | undefined,
): readonly CheckedType[] {
  return types.map((type) => {
    const earlier = before?.types.find(({ resource }) => resource === type.resource);
    if (!type.isSkipped || earlier === undefined) return type;
    // Modules that handlers import when they run are only in a report of a check.
    return { ...type, problems: earlier.problems, files: earlier.files };
  });
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
