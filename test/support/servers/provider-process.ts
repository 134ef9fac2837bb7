// Starts the code of a provider in a process of its own, as in a pod, beside a Fairlead that signs its events.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { OutgoingEvent } from '../../../src/events/protocol.ts';
import { placeSdk } from '../../../src/providers/place-sdk.ts';
import { type Files, type PackageFolder, packageFolder } from '../fixtures/code/package-folder.ts';
import { bareEnvironment } from '../runner/compile-cache.ts';
import { eventually } from '../runner/eventually.ts';
import { anEvent, deliveryOf, type SigningFairlead, signingFairlead } from './signing-fairlead.ts';

const program = fileURLToPath(new URL('../../../src/providers/runtime/main.ts', import.meta.url));

export interface Flags {
  readonly provider?: string;
  readonly more?: readonly string[];
}

export interface StartedProvider {
  readonly child: ChildProcess;
  readonly folder: PackageFolder;
  /** Everything that it has printed so far. */
  printed(): string;
}

export interface ProviderProcesses extends AsyncDisposable {
  readonly fairlead: SigningFairlead;
  /** Starts the runtime of pods with this code. */
  start(files: Files, flags?: Flags): Promise<StartedProvider>;
  /** Starts a file of this code instead, with the address of the Fairlead as its argument, and with the SDK beside it. */
  startFile(files: Files, path: string): Promise<StartedProvider>;
  /** @param more headers */
  post(url: string, event?: Partial<OutgoingEvent>, more?: object): Promise<Answer>;
  /** Posts, and counts the interim responses. */
  watch(url: string, event: Partial<OutgoingEvent>): Watched;
}

export interface Watched {
  readonly status: Promise<number | undefined>;
  interims(): number;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export async function providerProcesses(): Promise<ProviderProcesses> {
  const stack = new AsyncDisposableStack();
  const fairlead = await signingFairlead();
  stack.defer(() => fairlead.close());

  function started(folder: PackageFolder, args: readonly string[]): StartedProvider {
    const child = spawn(process.execPath, args, {
      cwd: folder.code,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: bareEnvironment,
    });
    stack.defer(() => void child.kill('SIGKILL'));
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
    }
    return { child, folder, printed: () => printed };
  }

  return {
    fairlead,
    async start(files, { provider = 'shop', more = [] } = {}) {
      const folder = stack.use(await packageFolder(files));
      const flags = ['--code', folder.code, '--provider', provider, '--organization', 'acme'];
      const where = ['--fairlead', fairlead.url, '--host', '127.0.0.1', '--port', '0'];
      return started(folder, [program, ...flags, ...where, ...more]);
    },
    async startFile(files, path) {
      const folder = stack.use(await packageFolder(files));
      await placeSdk(folder.code);
      return started(folder, [`${folder.code}/${path}`, fairlead.url]);
    },
    async post(url, event = {}, more = {}) {
      const { headers, body } = deliveryOf(anEvent(event), fairlead.signer);
      const answer = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });
      return { status: answer.status, body: await answer.json(), headers: answer.headers };
    },
    watch(url, event) {
      const { headers, body } = deliveryOf(anEvent(event), fairlead.signer);
      const sending = request(url, { method: 'POST', headers });
      let interims = 0;
      sending.on('information', () => {
        interims += 1;
      });
      const status = new Promise<number | undefined>((resolve, reject) => {
        sending.once('error', reject);
        sending.once('response', (response) => resolve(response.resume().statusCode));
      });
      sending.end(body);
      return { status, interims: () => interims };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** @returns how it ended, with its standard error; call it before it ends */
export async function ended({ child }: StartedProvider) {
  const [stderr, [code]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stderr };
}

/** @returns the address, as soon as events are taken */
export async function served({ printed }: StartedProvider): Promise<string> {
  return await eventually(() => {
    const [, url] = /"url":"([^"]+)"/.exec(printed()) ?? [];
    if (url === undefined) throw new Error(`not served: ${printed()}`);
    return url;
  });
}
