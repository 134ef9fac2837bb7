// The command-line client against an evaluation installation, as docs/install.md shows it: the API and its issuer through forwarded
// ports, a sign-in with the browser, a provider, resources with references, a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ClientShell, clientShell } from '../support/clients/client-in-shell.ts';
import { type Installation, systemNamespace } from '../support/cluster/installation.ts';
import { run } from '../support/cluster/program.ts';
import type { Stage } from '../support/cluster/stage.ts';

const url = 'http://localhost:8000';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
const reference = '${crates/greeting/first.outputs.text}';
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference
const toStray = '${crates/greeting/stray.outputs.text}';
const files = {
  'second.yaml': `resource: crates/greeting/second\nconfig: {to: "${reference}"}\n`,
  'first.yaml': 'resource: crates/greeting/first\nconfig: {to: world}\n',
  'broken/stray.yaml': 'resource: crates/greeting/stray\nconfig: {to: nobody}\n',
  'broken/third.yaml': `resource: crates/greeting/third\nconfig: {to: "${toStray}"}\n`,
};

export function commandLineClient(stage: Stage): void {
  it('lets the client sign in, push a provider, apply a folder and explain a failure', async () => {
    await using stack = new AsyncDisposableStack();
    const shell = stack.use(await clientShell({ organization: 'client', role: 'admin' }));
    stack.defer(await forwarded(stage.at));
    await mkdir(join(shell.home, 'shop/broken'), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(shell.home, 'shop', name), text);
    }
    const signedIn = await outputOf(shell, `fairlead login ${url}`);
    expect(signedIn).toContain('Signed in to client as client-admin (admin');
    await outputOf(shell, 'fairlead init crates');
    const pushed = await outputOf(shell, 'fairlead push crates --wait');
    expect(pushed).toMatch(/\$ npm install[\s\S]*is running/);
    await outputOf(shell, 'fairlead apply -f shop/first.yaml -f shop/second.yaml --wait');
    expect(await outputOf(shell, 'fairlead outputs crates/greeting/second text')).toContain(
      'Hello, Hello, world!!',
    );
    const broken = await outputOf(shell, '! fairlead apply -f shop/broken --wait --timeout 60s');
    expect(broken).toContain('2 resources are not ready');
    const why = await outputOf(shell, 'fairlead why crates/greeting/third');
    expect(why).toMatch(/✗ refused +provider crates .*Nobody can be greeted/);
    const logs = await outputOf(shell, '! timeout 10 fairlead logs crates --follow');
    expect(logs).toContain('The provider accepts events');
    await outputOf(shell, 'fairlead delete crates --yes --wait --timeout 60s');
    await outputOf(shell, 'fairlead provider delete crates --yes');
  });
}

/** Forwards the ports of the API and of its issuer, which are in the addresses of an evaluation. @returns what ends it */
async function forwarded({ env }: Installation): Promise<() => void> {
  const words = ['--namespace', systemNamespace, 'port-forward', 'deploy/fairlead-api'];
  const child = spawn('kubectl', [...words, '8000', '8001'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  child.stdout.resume();
  expect(child.exitCode, 'the ports 8000 and 8001 must be free').toBeNull();
  return () => child.kill('SIGKILL');
}

/** @returns both outputs of a command line. @throws when it fails */
async function outputOf({ home, variables }: ClientShell, command: string): Promise<string> {
  const { output, complaint } = await run('bash', ['-c', `cd "$0"; ${command}`, home], {
    env: variables,
  });
  return output + complaint;
}
