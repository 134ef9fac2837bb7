import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { operations } from '../../../../src/api/operations.ts';
import type { Command } from '../../../../src/cli/commands/command.ts';
import { commandName } from '../../../../src/cli/commands/command.ts';
import { globalFlags } from '../../../../src/cli/commands/global-flags.ts';
import { parseCommandLine } from '../../../../src/cli/commands/program.ts';
import { commands } from '../../../../src/cli/commands/table/index.ts';
import { Flags } from '../../../../src/cli/terminal/flags.ts';

const named = commands.map((command) => [commandName(command), command] as const);

it('names each command once', () => {
  const texts = commands.map(commandName);
  expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
});

it.each(named)('%s has flags that no other of its own or of all commands hides', (_, command) => {
  const flags = [...(command.flags ?? []), ...globalFlags];
  const names = flags.flatMap(({ name, short }) => [name, ...(short === undefined ? [] : [short])]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(names).not.toContain('h');
});

it.each(named)('%s has a summary in the imperative without a full stop', (_, { summary }) => {
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
});

/** The words of an example; it must have no quotes beside those of a substitution. */
function exampleLines(command: Command): readonly string[] {
  return Object.keys(command.examples ?? {}).filter((line) => line.startsWith('fairlead '));
}

it.each(named)('%s has examples that parse to itself', (name, command) => {
  for (const line of exampleLines(command)) {
    const argv = line.split(' ').slice(1);
    const parsed = parseCommandLine(argv, commands);
    expect(parsed.command && commandName(parsed.command), line).toBe(name);
  }
});

it.each(named)('%s loads', async (_, command) => {
  expect(await command.load()).toBeTypeOf('function');
});

/** Operations that neither commands nor pages have a use for. */
const onlyThroughApi = new Set([
  'getConsole',
  'getConsoleFile',
  'getConsoleSettings',
  'getDocs',
  'getDocsFile',
  'getEventKeys',
  'getLiveness',
  'getProject',
  'getReadiness',
  'getResourceByName',
  'updateResourceByName',
  'deleteResourceByName',
  'explainResourceByName',
  'listResourceEventsByName',
  'listResourceHistoryByName',
  'observeResourceByName',
  'correctResourceByName',
  'replaceProviderSettings',
]);

it('calls every operation of the API, except those that neither commands nor pages have a use for', async () => {
  const called = new Set<string>();
  for await (const path of glob('src/{cli,console}/**/*.{ts,tsx}')) {
    const text = await readFile(path, 'utf8');
    for (const [, word = ''] of text.matchAll(/'(\w+)'/g)) called.add(word);
  }
  const others = Object.keys(operations).filter((id) => !called.has(id));
  expect(others.sort()).toEqual([...onlyThroughApi].sort());
});

it('tells switches apart: on, off, both and neither', () => {
  const flags = [
    { name: 'a', about: '' },
    { name: 'b', is: 'off', about: '' },
    { name: 'c', is: 'both', about: '' },
  ] as const;
  const command: Command = {
    words: ['try'],
    category: 'More',
    summary: 'Try',
    flags,
    load: () => Promise.reject(new Error()),
  };
  const parsed = (line: string) => {
    const result = parseCommandLine(['try', ...line.split(' ').filter(Boolean)], [command]);
    if (result.kind !== 'command') throw new Error(result.kind);
    const values = new Flags(flags, result.flags);
    return [values.on('a'), values.on('b'), values.choice('c')];
  };
  expect(parsed('')).toEqual([false, true, undefined]);
  expect(parsed('--a --no-b --no-c')).toEqual([true, false, false]);
  expect(parsed('--c')).toEqual([false, true, true]);
});
