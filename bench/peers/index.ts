// Other frameworks for controllers, as programs that do the same work: a watch of one kind, and for every object status
// `processing`, a POST to the provider, status `ready`.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/app/config/index.ts';
import { findProgram } from '../../src/dev/search-path.ts';
import { pythonWith } from '../../test/support/servers/python.ts';

const run = promisify(execFile);
const here = import.meta.dirname;

type Command = readonly [program: string, ...parameters: string[]];

export interface Peer {
  readonly name: string;
  readonly version: string;
  /** Builds or installs it. @returns its command, or a sentence on why it cannot run here */
  prepare(): Promise<Command | { readonly missing: string }>;
}

const goModule = join(here, 'controller-runtime');
const pythonPackages = ['kopf==1.45.2', 'uvloop==0.22.1'];

export const peers: readonly Peer[] = [
  {
    name: 'controller-runtime',
    version:
      /controller-runtime v(\S+)/.exec(readFileSync(join(goModule, 'go.mod'), 'utf8'))?.[1] ?? '',
    prepare: buildControllerRuntime,
  },
  {
    name: 'kopf',
    version: pythonPackages.join(', ').replaceAll('==', ' ').replace('kopf ', ''),
    async prepare() {
      const python = await pythonWith(pythonPackages);
      if ('missing' in python) return python;
      return [join(python.bin, 'python'), join(here, 'kopf_controller.py')];
    },
  },
  {
    name: 'client-node',
    version: versionOf('@kubernetes/client-node'),
    prepare: () => Promise.resolve([process.execPath, join(here, 'client-node.ts')]),
  },
];

function versionOf(dependency: string): string {
  const resolved = createRequire(import.meta.url).resolve(dependency);
  const root = resolved.slice(0, resolved.lastIndexOf(dependency) + dependency.length);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}

async function buildControllerRuntime(): Promise<Command | { readonly missing: string }> {
  const { binaries, cacheFolder } = loadConfig([]);
  const go = findProgram('go', binaries.searchPath);
  if (go === undefined) return { missing: 'Go is not installed' };
  const folder = join(cacheFolder, 'peers');
  const built = join(folder, 'controller-runtime');
  await mkdir(folder, { recursive: true });
  // Go builds what has changed only.
  const flags = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-o', `${built}.new`, '.'];
  await run(go, ['build', ...flags], { cwd: goModule });
  await rename(`${built}.new`, built);
  return [built];
}

export interface PeerTarget {
  readonly kubeconfig: string;
  readonly group: string;
  readonly namespace: string;
  /** URL of the provider. */
  readonly endpoint: string;
  /** The statuses that the bare client writes. */
  readonly statuses: Readonly<Record<'processing' | 'ready', unknown>>;
}

export interface RunningPeer {
  readonly pid: number;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

export function startPeer([program, ...parameters]: Command, target: PeerTarget): RunningPeer {
  const { kubeconfig, group, namespace, endpoint, statuses } = target;
  const child: ChildProcess = spawn(program, [...parameters, group, namespace, endpoint], {
    env: { ...process.env, KUBECONFIG: kubeconfig, STATUSES: JSON.stringify(statuses) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  child.once('error', ended.reject);
  child.once('exit', (code, signal) => {
    exited.resolve();
    ended.reject(new Error(`${program} ended with ${signal ?? code}`));
  });
  if (child.pid === undefined) throw new Error(`${program} cannot be started`);
  return {
    pid: child.pid,
    ended: ended.promise,
    stop: async () => {
      child.kill('SIGTERM');
      await exited.promise;
    },
  };
}
