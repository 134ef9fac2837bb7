// The published Python SDK and its command line, unmodified, against a whole Fairlead: every method and every command.
// Skipped with a message if Python 3.13 is missing or the packages cannot be installed.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarOf } from '../support/fixtures/code/archives.ts';
import { eventually } from '../support/runner/eventually.ts';
import { freePort } from '../support/runner/free-port.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';
import { pythonWith } from '../support/servers/python.ts';

const run = promisify(execFile);
const clients = resolve(import.meta.dirname, '../support/clients/published-clients');
const script = join(clients, 'every_method.py');
const commands = join(clients, 'commands.py');

const requirements = ['pragmatiks-sdk==0.9.0', 'pragmatiks-cli==0.8.1'];
const python = await pythonWith(requirements);
if ('missing' in python) {
  process.stderr.write(`\nSKIPPED: ${requirements.join(', ')} were not tried: ${python.missing}\n`);
}
const bin = 'bin' in python ? python.bin : '';

let fairlead: Fairlead;
let folder: string;

const codeOf = (provider: string, label: string) => ({
  'package.json': JSON.stringify({
    name: provider,
    version: '1.0.0',
    type: 'module',
    exports: './index.ts',
  }),
  'index.ts': `import { fail, provider, z } from 'fairlead/provider';
const made = async ({ config }: { config: { size: number } }) =>
  config.size === 13 ? fail('UNLUCKY', 'thirteen is refused') : { label: '${label}' };
const crates = provider('${provider}');
const crate = crates.resource('crate', {
  description: 'A crate',
  config: z.strictObject({ size: z.int() }),
  outputs: z.object({ label: z.string() }),
  create: made,
  update: made,
  async delete() {},
});
export default crates.types(crate);
`,
});

async function archiveOf(provider: string, label: string): Promise<string> {
  const path = join(folder, `${provider}-${label}.tgz`);
  const parts = Object.entries(codeOf(provider, label)).map(([name, body]) => ({
    path: name,
    body,
  }));
  await writeFile(path, gzipSync(tarOf(...parts)));
  return path;
}

const tokenOf = async (organization: string) => (await fairlead.caller(organization)).token;

describe.skipIf(bin === '')('the published client', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-clients-'));
    fairlead = await sharedFairlead('standard');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it.concurrent.for(['sync', 'async'] as const)(
    'has every %s method answered',
    {
      timeout: 300_000,
    },
    async (mode) => {
      const provider = `${mode}-crates`;
      const archives = [await archiveOf(provider, 'one'), await archiveOf(provider, 'two')];
      const token = await tokenOf(`${mode}-client`);
      const args = [script, mode, fairlead.url, token, provider, ...archives];
      const { stdout } = await run(join(bin, 'python'), args);
      expect(stdout).toMatch(/^\d+ methods$/m);
    },
  );

  describe('command line', () => {
    const provider = 'cli-crates';
    let home: string;
    let code: string;
    let crateFile: string;
    const tried = new Set<string>();
    let program: ChildProcess;
    let answers: AsyncIterator<string>;

    /** Its answers to questions are yes. @returns what it prints, and its exit code */
    async function pragma(command: string, ...args: readonly string[]) {
      tried.add(command);
      program.stdin?.write(`${JSON.stringify([...command.split(' '), ...args])}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error(`The program ended before it ran ${command}`);
      return JSON.parse(value) as { readonly exit: number; readonly output: string };
    }

    const well = async (command: string, ...args: readonly string[]) => {
      const { exit, output } = await pragma(command, ...args);
      expect(exit, `${command}: ${output}`).toBe(0);
      return output;
    };

    async function write(file: string, text: string): Promise<string> {
      await writeFile(file, text);
      return file;
    }

    beforeAll(async () => {
      const callbackPort = await freePort();
      home = await mkdtemp(join(folder, 'home-'));
      code = await mkdtemp(join(folder, 'code-'));
      for (const [name, text] of Object.entries(codeOf(provider, 'cli'))) {
        await write(join(code, name), text);
      }
      const crates = [3, 13].map((size) => ({
        provider,
        resource: 'crate',
        name: `size-${size}`,
        config: { size },
      }));
      crateFile = await write(
        join(folder, 'crates.yaml'),
        crates.map((each) => JSON.stringify(each)).join('\n---\n'),
      );
      // Stands for the person who signs in: hands over the token that Fairlead gives.
      const token = await tokenOf('cli-client');
      const callback = `http://localhost:${callbackPort}/auth/callback?token=${token}`;
      await write(
        join(folder, 'browser'),
        `#!/bin/sh\n'${process.execPath}' -e "fetch('${callback}')"\n`,
      );
      await chmod(join(folder, 'browser'), 0o755);
      await templateOfAProvider(join(folder, 'template'));
      const environment = {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_CONFIG_HOME: home,
        COLUMNS: '200',
        NO_COLOR: '1',
        PRAGMA_PROVIDER_TEMPLATE: join(folder, 'template'),
        PRAGMA_AUTH_CALLBACK_PORT: String(callbackPort),
        BROWSER: `${join(folder, 'browser')} %s &`,
      };
      program = spawn(join(bin, 'python'), [commands], {
        env: environment,
        cwd: home,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      if (program.stdout === null) throw new Error('The program has no standard output');
      answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    });

    afterAll(() => void program?.kill());

    it('has every command answered', { timeout: 400_000 }, async () => {
      await well('config set-context', 'local', '--api-url', fairlead.url);
      await well('config set-context', 'other', '--api-url', 'http://localhost:1');
      await well('config use-context', 'local');
      expect(await well('config get-contexts')).toContain('local');
      expect(await well('config current-context')).toContain(fairlead.url);
      await well('config delete-context', 'other');
      await well('auth login', '--context', 'local');
      expect(await well('auth whoami')).toContain('cli-client');

      await well('resources register', 'cli-notes/note', '--description', 'A note');
      const note = { provider: 'cli-notes', resource: 'note', name: 'one', config: {} };
      await well('resources apply', await write(join(folder, 'n.yaml'), JSON.stringify(note)));
      expect(await well('resources get', 'cli-notes/note', 'one')).toContain('[draft]');
      await well('resources delete', 'cli-notes/note', 'one');
      await well('resources unregister', 'cli-notes/note');

      const push = ['--package', provider, '--directory', code, '--logs', '--deploy'];
      expect(await well('providers push', ...push)).toContain('Deployment started');
      expect(await well('providers list')).toContain(provider);
      expect(await well('providers builds', provider)).toContain('success');
      await well('providers deploy', '--package', provider);
      // The published command reads a field that its own SDK does not have, whatever is answered.
      expect((await pragma('providers status', provider)).output).toContain("'healthy'");

      // The pods of the version may be healthy before its types are registered.
      await eventually(() => well('resources apply', crateFile, '--pending'), 60_000);
      await eventually(async () => {
        expect(await well('resources list')).toMatch(
          /size-3 \[ready\][\s\S]*size-13 \[failed\]|size-13 \[failed\][\s\S]*size-3 \[ready\]/,
        );
      }, 60_000);
      const failed = async () => {
        const listed = await well('ops dead-letter list', '--provider', provider);
        const [id = ''] = /evt-\w+/.exec(listed) ?? [];
        expect(id, listed).not.toBe('');
        return id;
      };
      expect(await well('ops dead-letter show', await failed())).toContain('thirteen is refused');
      await well('ops dead-letter retry', await failed());
      await eventually(failed, 30_000);
      expect(await well('ops dead-letter retry', '--all')).toContain('Retried 1');
      await eventually(failed, 30_000);
      expect(await well('ops dead-letter delete', await failed())).toContain('Deleted');

      const gone = await well('providers delete', provider, '--cascade');
      expect(gone).toContain('Provider deleted');
      await well('providers init', 'vault', '--output', join(home, 'vault'), '--defaults');
      // As published, this command rejects every folder without a request to Fairlead.
      const update = await pragma('providers update', join(home, 'vault'));
      expect(update.output).toContain('Updating provider project');
      await well('auth logout', '--all');

      expect([...tried].sort()).toEqual(await everyCommand());
    });

    async function everyCommand(): Promise<readonly string[]> {
      const walk = [
        'import typer',
        'from pragma_cli.main import app',
        'def walk(group, path):',
        '  for name, each in group.commands.items():',
        '    walk(each, path + [name]) if hasattr(each, "commands") else print(" ".join(path + [name]))',
        'walk(typer.main.get_command(app), [])',
      ];
      const { stdout } = await run(join(bin, 'python'), ['-c', walk.join('\n')]);
      return stdout.trim().split('\n').sort();
    }
  });
});

/** The template from which the command line creates new providers. */
async function templateOfAProvider(template: string): Promise<void> {
  await mkdir(template, { recursive: true });
  await writeFile(join(template, 'copier.yml'), 'name:\n  type: str\n');
  await writeFile(join(template, 'package.json.jinja'), '{"name": "{{ name }}"}\n');
  const answers = '{{ _copier_conf.answers_file }}.jinja';
  await writeFile(join(template, answers), '{{ _copier_answers|to_nice_yaml -}}\n');
}
