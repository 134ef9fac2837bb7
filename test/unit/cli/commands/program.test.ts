// What a command line means, and the sentences about those that mean nothing.
import { expect, it } from 'vitest';
import type { Command } from '../../../../src/cli/commands/command.ts';
import { commandName } from '../../../../src/cli/commands/command.ts';
import { parseCommandLine } from '../../../../src/cli/commands/program.ts';

const common = {
  category: 'More',
  summary: 'Try',
  load: () => Promise.reject(new Error()),
} as const;

const commands: readonly Command[] = [
  {
    ...common,
    words: ['get'],
    arguments: [{ name: 'SELECTOR', about: '', optional: true, repeatable: true }],
    flags: [
      { name: 'watch', short: 'w', about: '' },
      { name: 'state', value: 'STATE', choices: ['ready', 'failed'], about: '' },
      { name: 'tag', short: 't', value: 'TAG', repeatable: true, about: '' },
      { name: 'wait', is: 'both', about: '' },
      { name: 'deploy', is: 'off', about: '' },
    ],
  },
  { ...common, words: ['project', 'list'], isDefault: true },
  { ...common, words: ['project', 'delete'], arguments: [{ name: 'PROJECT', about: '' }] },
  { ...common, words: ['type', 'get'], arguments: [{ name: 'TYPE', about: '' }] },
  {
    ...common,
    words: ['type', 'list'],
    isDefault: true,
    arguments: [{ name: 'PROVIDER', about: '', optional: true }],
  },
  { ...common, words: ['hidden'], hidden: true },
];

const parsed = (line: string) => parseCommandLine(line.split(' ').filter(Boolean), commands);

it.each([
  ['get', 'get', [], {}, {}],
  ['get a/b c', 'get', ['a/b', 'c'], {}, {}],
  ['get get', 'get', ['get'], {}, {}],
  ['-p sales get -w a', 'get', ['a'], { watch: true }, { project: 'sales' }],
  ['get a -p sales', 'get', ['a'], {}, { project: 'sales' }],
  ['get --project=sales', 'get', [], {}, { project: 'sales' }],
  ['get -psales -wt x', 'get', [], { watch: true, tag: ['x'] }, { project: 'sales' }],
  ['get -t a -t b', 'get', [], { tag: ['a', 'b'] }, {}],
  ['get -o json -o yaml', 'get', [], {}, { output: 'yaml' }],
  ['get -t -', 'get', [], { tag: ['-'] }, {}],
  ['get -t -w', 'get', [], { tag: ['-w'] }, {}],
  ['get --no-wait --no-deploy', 'get', [], { wait: false, deploy: false }, {}],
  ['get --wait --no-input', 'get', [], { wait: true }, { input: false }],
  ['get -- -w', 'get', ['-w'], {}, {}],
  ['get --state ready', 'get', [], { state: 'ready' }, {}],
  ['project', 'project list', [], {}, {}],
  ['project -o json list', 'project list', [], {}, { output: 'json' }],
  ['project delete x', 'project delete', ['x'], {}, {}],
  ['type postgres', 'type list', ['postgres'], {}, {}],
])('%s', (line, name, args, flags, globals) => {
  const { kind, command, ...rest } = parsed(line);
  expect([kind, command && commandName(command)]).toEqual(['command', name]);
  expect(rest).toEqual({ args, flags, globals });
});

it.each([
  ['', { kind: 'start', globals: {} }],
  ['-q', { kind: 'start', globals: { quiet: true } }],
  ['--help', { kind: 'help', globals: {} }],
  ['nothing -h', { kind: 'help', globals: {} }],
  ['get a --nope -h', { kind: 'help', command: commands[0], globals: {} }],
  ['project --help', { kind: 'help', group: 'project', globals: {} }],
  ['project list --help', { kind: 'help', command: commands[1], globals: {} }],
])('%s asks for help', (line, wanted) => {
  expect(parsed(line)).toEqual(wanted);
});

it.each([
  ['gte', "Unknown command 'gte'; did you mean get?", 'fairlead help'],
  ['hiden', "Unknown command 'hiden'.", 'fairlead help'],
  ['describe x', "Unknown command 'describe'.", 'Its state, and why: fairlead why x'],
  [
    'project delte',
    "Unknown command 'project delte'; did you mean project delete?",
    'fairlead project --help',
  ],
  ['projects', "Unknown command 'projects'; did you mean project?", 'fairlead help'],
  ['auth', "Unknown command 'auth'.", 'fairlead whoami'],
  ['--nope get', "Unknown option '--nope'.", 'fairlead help'],
  ['get --stat x', "Unknown option '--stat'; did you mean --state?", 'fairlead get --help'],
  ['get -A', "Unknown option '-A'.", 'fairlead get --all-projects'],
  ['get --state', '--state needs a value: STATE.', 'fairlead get --help'],
  ['get --state x', '--state must be one of ready, failed, is "x".', 'fairlead get --help'],
  ['get --watch=1', '--watch takes no value, has "1".', 'fairlead get --help'],
  ['project delete', 'The argument PROJECT is missing.', 'fairlead project delete --help'],
  [
    'project delete a b c',
    "'project delete' does not take 'b', 'c'.",
    'fairlead project delete --help',
  ],
])('%s is refused', (line, message, next) => {
  expect(() => parsed(line)).toThrow(expect.objectContaining({ message, next, exit: 2 }));
});
