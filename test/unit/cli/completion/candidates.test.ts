import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { candidatesFor } from '../../../../src/cli/completion/candidates.ts';
import { completionScripts } from '../../../../src/cli/completion/scripts.ts';
import { commands } from '../../../../src/cli/table/index.ts';
import { runClient } from '../../../support/clients/client.ts';

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
  ['resources list ', 'resource'],
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

it('has a script that bash reads', () => {
  execFileSync('bash', ['-n'], { input: completionScripts.bash });
});
