// The runtime in a pod reads settings from files, names what is wrong without values, and replaces its process when the files change.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { placeSdk } from '../../../src/providers/place-sdk.ts';
import { readSettingsFolder } from '../../../src/providers/runtime/settings.ts';
import { supervise } from '../../../src/providers/runtime/supervise.ts';
import { type Provider, provider, z } from '../../../src/sdk/index.ts';
import { packageFolder, shopManifest } from '../../support/fixtures/code/package-folder.ts';
import { bareEnvironment } from '../../support/runner/compile-cache.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { freePort } from '../../support/runner/free-port.ts';
import {
  anEvent,
  deliveryOf,
  type SigningFairlead,
  signingFairlead,
} from '../../support/servers/signing-fairlead.ts';

const canary = 'canary-77';
const code = `
import { setTimeout } from 'node:timers/promises';
import { provider, z } from 'fairlead/provider';
const shop = provider('shop', {
  settings: z.object({ url: z.url().meta({ sensitive: true }), size: z.int().default(1) }),
});
const made = ({ settings: { url, size } }) => ({ url: url + '#' + size });
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.object({ size: z.int() }),
  outputs: z.object({ url: z.string() }),
  create: async (call) => {
    if (call.name === 'slow') await setTimeout(1_500);
    return made(call);
  },
  update: made,
  delete: () => undefined,
});
export default shop.types(cart);
`;

let stack: AsyncDisposableStack;
let fairlead: SigningFairlead;
let workspace: string;
let codeFolder: string;
let folder: string;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  fairlead = await signingFairlead();
  stack.defer(() => fairlead.close());
  const pack = stack.use(await packageFolder({ 'package.json': shopManifest, 'index.ts': code }));
  ({ workspace, code: codeFolder } = pack);
  folder = join(workspace, 'settings');
  await mkdir(folder);
});

afterEach(() => stack.disposeAsync());

async function set(name: string, value: string): Promise<void> {
  await writeFile(join(folder, `${name}.new`), value);
  await rename(join(folder, `${name}.new`), join(folder, name));
}

async function post(port: number, name = 'a') {
  const { headers, body } = deliveryOf(anEvent({ name }), fairlead.signer);
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  return (await answer.json()) as { outputs?: { url: string } };
}

async function serving(isWatched: boolean, signal: AbortSignal) {
  const port = await freePort();
  const ended = supervise({
    codeFolder,
    provider: 'shop',
    fairlead: fairlead.url,
    organization: 'acme',
    host: '127.0.0.1',
    port,
    settings: { folder, isWatched, intervalMs: 20 },
    noticeMs: 0,
    stop: signal,
  });
  await eventually(() => fetch(`http://127.0.0.1:${port}/readyz`));
  return { port, ended };
}

describe('a runtime with settings', () => {
  it('gives handlers the values, with defaults', async () => {
    await set('url', 'https://a.example');
    const stop = new AbortController();
    const { port, ended } = await serving(false, stop.signal);
    expect(await post(port)).toMatchObject({ outputs: { url: 'https://a.example#1' } });
    stop.abort();
    await ended;
  });

  it('takes them over after a change, and answers events in flight with the old values', async () => {
    await set('url', 'https://a.example');
    const stop = new AbortController();
    const { port, ended } = await serving(true, stop.signal);
    // Neither fits: the values of before stay in use.
    await set('size', 'many');
    await set('url', canary);
    const slow = post(port, 'slow');
    await set('url', 'https://b.example');
    await set('size', '2');
    await eventually(async () => {
      expect(await post(port)).toMatchObject({ outputs: { url: 'https://b.example#2' } });
    });
    expect(await slow).toMatchObject({ outputs: { url: 'https://a.example#1' } });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    stop.abort();
    await ended;
  });

  it('does not end for values that do not fit', async () => {
    await set('url', 'https://a.example');
    await placeSdk(codeFolder);
    const { default: provider } = (await import(join(codeFolder, 'index.ts'))) as {
      default: Provider;
    };
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    stack.defer(() => said.mockRestore());
    const files = await readSettingsFolder(provider, { folder, intervalMs: 5, tell: told });
    let hasChanged = false;
    const stop = new AbortController();
    const changed = files?.changed(stop.signal).then(() => {
      hasChanged = !stop.signal.aborted;
    });
    await set('url', canary);
    await eventually(() => {
      expect(String(said.mock.calls)).toContain('url does not fit its schema (invalid_format)');
    });
    expect(String(said.mock.calls)).not.toContain(canary);
    expect(hasChanged).toBe(false);
    stop.abort();
    await changed;
  });
});

const told = () => Promise.resolve();

it('does not end for values that check refuses, until it accepts them', async () => {
  let isKnown = false;
  const shop = provider('shop', {
    settings: z.object({ token: z.string().meta({ sensitive: true }) }),
    check({ settings: { token } }) {
      if (token === canary && !isKnown) throw new Error(`Nobody knows ${token}`);
    },
  }).types();
  await set('token', 'first');
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  stack.defer(() => said.mockRestore());
  const files = await readSettingsFolder(shop, { folder, intervalMs: 5, tell: told });
  let hasChanged = false;
  const changed = files?.changed(new AbortController().signal).then(() => {
    hasChanged = true;
  });
  await set('token', canary);
  await eventually(() => expect(String(said.mock.calls)).toContain('Nobody knows (token)'));
  expect(hasChanged).toBe(false);
  isKnown = true;
  await changed;
  expect(said.mock.calls).toHaveLength(1);
});

describe('the program', () => {
  const program = join(import.meta.dirname, '../../../src/providers/runtime/main.ts');
  function start(): ChildProcess {
    const own = ['--code', codeFolder, '--provider', 'shop', '--organization', 'acme'];
    const where = ['--fairlead', fairlead.url, '--host', '127.0.0.1', '--port', '0'];
    const flags = [...own, ...where, '--settings', folder, '--watch-settings'];
    const child = spawn(process.execPath, [program, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: bareEnvironment,
    });
    stack.defer(() => void child.kill('SIGKILL'));
    return child;
  }

  it('names what is missing or invalid, and no value', async () => {
    await set('size', canary);
    const child = start();
    const [output, errors, [exit]] = await Promise.all([
      child.stdout === null ? '' : text(child.stdout),
      child.stderr === null ? '' : text(child.stderr),
      once(child, 'close'),
    ]);
    expect(exit).toBe(1);
    expect(errors).toBe(
      'Provider shop cannot run: the settings are invalid: url is not set; size must be a number\n',
    );
    expect(output).not.toContain(canary);
  });
});
