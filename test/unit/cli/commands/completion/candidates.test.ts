import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { candidatesFor } from '../../../../../src/cli/commands/completion/candidates.ts';
import { completionScripts } from '../../../../../src/cli/commands/completion/scripts.ts';
import { commands } from '../../../../../src/cli/commands/table/index.ts';
import { startAnswering } from '../../../../support/clients/answering.ts';
import { runClient } from '../../../../support/clients/client.ts';

interface Named {
  readonly hostile: string;
}

/** The words of a line; a space at the end begins a new one. */
function after(line: string) {
  const { candidates, kind } = candidatesFor(line.split(' '), commands);
  return { values: candidates.map(({ value }) => value), kind };
}

it.each([
  ['ge', ['get']],
  ['log', ['logs', 'login', 'logout']],
  ['context ', ['list', 'use', 'current', 'set', 'delete']],
  ['context u', ['use']],
  ['-C prod conte', ['context']],
  ['get --sta', ['--state']],
  ['get --no-i', ['--no-input']],
  ['get --state f', ['failed']],
  ['get --state = f', ['failed']],
  ['get --state=f', ['--state=failed']],
  ['-o n', ['ndjson', 'name']],
  ['completion z', ['zsh']],
  ['login --issuer ', []],
  ['no-such-command ', []],
])('offers after "%s"', (line, values) => {
  expect(after(line).values).toEqual(values);
});

it.each([
  ['get ', 'resource'],
  ['get a/b/c ', 'resource'],
  ['context use ', 'context'],
  ['-p ', 'project'],
  ['api --body ', 'file'],
  ['apply ', 'file'],
  ['apply --revision 3 ', 'resource'],
  ['diff --revision=3 ', 'resource'],
  ['apply --from-actual ', 'resource'],
  ['import --list ', 'type'],
  ['import --file a.yaml ', 'file'],
  ['correct a/b/c ', 'resource'],
  ['history ', 'resource'],
  ['whoami ', undefined],
  ['get --set ', 'set'],
  ['apply --take ', 'resource'],
])('asks after "%s" for names of a %s', (line, kind) => {
  expect(after(line).kind).toBe(kind);
});

it('offers no hidden command', () => {
  expect(after('').values).not.toContain('__complete');
});

it('never fails on the prompt', async () => {
  const variables = { FAIRLEAD_URL: 'http://127.0.0.1:9', FAIRLEAD_TOKEN: 't' };
  expect(await runClient(['__complete', '--', 'get', ''], { variables })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

it.each([
  ['get', ({ hostile }: Named) => ({ provider: 'p', resource: 't', name: hostile }), 'p/t/good'],
  ['logs', ({ hostile }: Named) => ({ provider: hostile }), 'p'],
  ['type get', ({ hostile }: Named) => ({ provider: 'p', resource: hostile }), 'p/t'],
  ['-p', ({ hostile }: Named) => ({ project_id: hostile, managed_by: 'user' }), 'project'],
  ['get --set', ({ hostile }: Named) => ({ set: hostile }), 'good'],
])('[C10] offers after "%s" no name that a shell would run', async (words, named, good) => {
  const known = { provider: 'p', resource: 't', name: 'good', project_id: 'project', set: 'good' };
  const hostile = ['x$(touch PWNED)', 'x`id`', 'x;id', 'x y', "x'", '--token-file=x', 'x\ny'];
  const server = await startAnswering(() => ({
    body: [...hostile.map((each) => named({ hostile: each })), known],
  }));
  const { stdout } = await server.client(`__complete -- ${words} `);
  server.stop();
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([good, '']);
});

it('has a script that bash reads', () => {
  execFileSync('bash', ['-n'], { input: completionScripts.bash });
});
