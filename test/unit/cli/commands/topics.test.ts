import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { environmentVariables, topics } from '../../../../src/cli/commands/help/topics.ts';
import { runClient } from '../../../support/clients/client.ts';

const folder = join(import.meta.dirname, '../../../../src/cli');

it('explains every variable that the client reads', () => {
  const text = globSync('**/*.ts', { cwd: folder })
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
  const read = [...text.matchAll(/variableIn\([\w.]+, '([A-Z_]+)'\)/g)].map(
    ([, name = '']) => name,
  );
  expect(read).toContain('FAIRLEAD_TOKEN');
  const ofSystem =
    /^(?:XDG_\w+|APPDATA|LOCALAPPDATA|LC_\w+|LANG|TERM|FORCE_COLOR|SSH_CONNECTION|DISPLAY|WAYLAND_DISPLAY|SHELL)$/;
  const missing = read.filter((name) => !ofSystem.test(name) && !(name in environmentVariables));
  expect(missing).toEqual([]);
});

it.each(Object.keys(topics))('has the topic %s', async (topic) => {
  const { code, stdout } = await runClient(['help', topic]);
  expect(code).toBe(0);
  expect(stdout.length).toBeGreaterThan(100);
});

it.each([
  [['gte'], "Error: Unknown command 'gte'; did you mean get?\n  fairlead help\n"],
  [
    ['get', '--stat'],
    "Error: Unknown option '--stat'; did you mean --state?\n  fairlead get --help\n",
  ],
  [['get', '--limit', 'x'], 'Error: --limit must be a whole number, is "x".\n'],
  [
    ['project', 'delte'],
    "Error: Unknown command 'project delte'; did you mean project delete?\n  fairlead project --help\n",
  ],
])('explains the command line %j', async (argv, stderr) => {
  const variables = { FAIRLEAD_URL: 'http://127.0.0.1:9', FAIRLEAD_TOKEN: 't' };
  expect(await runClient(argv, { variables })).toEqual({ code: 2, stdout: '', stderr });
});
