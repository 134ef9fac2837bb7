// Checks command lines against the command table of the client.
import type { Command } from '../../../src/cli/commands/command.ts';
import { commands } from '../../../src/cli/commands/table/index.ts';

/** @returns what is wrong with a command line; empty for one that the client has */
export function commandProblem(line: string): string {
  const [program, ...words] = line.split(' ');
  const found = commands
    .filter((each) => each.words.every((word, at) => words[at] === word))
    .sort((left, right) => right.words.length - left.words.length)[0];
  if (program !== 'fairlead' || found === undefined) return `${line}: no such command`;
  const { flags, given } = partsOf(words.slice(found.words.length), found);
  const unknown = flags.find((flag) => flagOf(flag, found) === undefined);
  if (unknown !== undefined) return `${line}: no such flag ${unknown}`;
  const needed = (found.arguments ?? []).filter(({ optional }) => optional !== true).length;
  return given.length < needed ? `${line}: an argument is missing` : '';
}

function partsOf(words: readonly string[], command: Command) {
  const flags = words.filter((word) => word.startsWith('-'));
  const given = words.filter((word, at) => {
    const before = words[at - 1] ?? '';
    const isValue = before.startsWith('-') && flagOf(before, command)?.value !== undefined;
    return !word.startsWith('-') && !isValue;
  });
  return { flags, given };
}

function flagOf(text: string, { flags = [] }: Command) {
  return flags.find(({ name, short }) => text === `--${name}` || text === `-${short ?? name}`);
}
