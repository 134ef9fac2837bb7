import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { globalFlags } from '../../../../src/cli/commands/global-flags.ts';
import { resolveContext } from '../../../../src/cli/session/context/resolve.ts';
import { Flags } from '../../../../src/cli/terminal/flags.ts';
import { clientEnvironment, newHome, runClient } from '../../../support/clients/client.ts';

let home: string;

beforeEach(() => {
  home = newHome();
});

function configure(text: string): void {
  mkdirSync(join(home, '.config/fairlead'), { recursive: true });
  writeFileSync(join(home, '.config/fairlead/config.yaml'), text);
}

const config = `# mine
current: prod
contexts:
  prod: { url: https://fairlead.example.org, project: billing } # the real one
  local: { url: http://localhost:8000 }
`;

async function resolved(flags: object, variables = {}, folder = home) {
  const environment = clientEnvironment({ home, folder, variables });
  const { name, url, project } = await resolveContext(
    environment,
    new Flags(globalFlags, { ...flags }),
  );
  return [name, url.origin, project];
}

it.each([
  ['the current context', {}, {}, ['prod', 'https://fairlead.example.org', 'billing']],
  [
    'a flag',
    { context: 'local' },
    { FAIRLEAD_CONTEXT: 'prod' },
    ['local', 'http://localhost:8000', undefined],
  ],
  ['a variable', {}, { FAIRLEAD_CONTEXT: 'local' }, ['local', 'http://localhost:8000', undefined]],
  [
    'an address of a context',
    {},
    { FAIRLEAD_URL: 'http://localhost:8000/' },
    ['local', 'http://localhost:8000', undefined],
  ],
  [
    'another address',
    { url: 'https://b.example' },
    {},
    [undefined, 'https://b.example', undefined],
  ],
  [
    'a project',
    { project: 'p' },
    { FAIRLEAD_PROJECT: 'q' },
    ['prod', 'https://fairlead.example.org', 'p'],
  ],
])('resolves %s', async (_, flags, variables, expected) => {
  configure(config);
  expect(await resolved(flags, variables)).toEqual(expected);
});

it('reads fairlead.yaml of a folder above, which comes before the current context', async () => {
  configure(config);
  const folder = join(home, 'work/deep');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, 'work/fairlead.yaml'), 'context: local\nproject: shop\n');
  expect(await resolved({}, {}, folder)).toEqual(['local', 'http://localhost:8000', 'shop']);
  writeFileSync(join(home, 'work/fairlead.yaml'), 'url: https://evil.example\n');
  await expect(resolved({}, {}, folder)).rejects.toThrow('url belongs to a context');
});

it.each([
  ['ftp://a.example', 'must be a URL'],
  ['http://fairlead.example.org', 'not sent to http://fairlead.example.org without TLS'],
  ['https://user:secret@a.example', 'must have no user'],
])('refuses the address %s', async (url, message) => {
  await expect(resolved({ url })).rejects.toThrow(message);
});

it.each([
  ['current: [', 'config.yaml is invalid'],
  ['contexts: { a: { url: 1 } }', 'contexts.a.url must be text'],
  ['contexts: { a: { urll: x } }', 'unknown field contexts.a.urll'],
  ['tokens: {}', 'unknown field tokens'],
])('refuses the configuration %s', async (text, message) => {
  configure(text);
  await expect(resolved({})).rejects.toThrow(message);
});

it('changes contexts, and keeps comments', async () => {
  configure(config);
  const run = (...argv: string[]) => runClient(argv, { home });
  expect(await run('context', 'use', 'local')).toMatchObject({ code: 0 });
  expect(await run('context', 'set', 'new', '--url', 'https://b.example')).toMatchObject({
    code: 0,
  });
  expect(await run('context', 'delete', 'prod')).toMatchObject({ code: 0 });
  expect(await run('context', 'use', 'prod')).toMatchObject({ code: 2 });
  expect((await run('context')).stdout).toBe(
    [
      'CURRENT  NAME   URL                    PROJECT  SIGNED IN TO',
      '*        local  http://localhost:8000',
      '         new    https://b.example',
      '',
    ].join('\n'),
  );
  expect(readFileSync(join(home, '.config/fairlead/config.yaml'), 'utf8')).toMatch(/^# mine\n/);
});

it('shows the version of the client before the first login', async () => {
  const shown = await runClient(['version'], { home });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    /^client {2}\d\S*\nserver {2}none is configured: fairlead login URL\n$/,
  );
  const { stdout } = await runClient(['version', '-o', 'json'], { home });
  expect(JSON.parse(stdout)).toMatchObject({ server: null });
});
