// Runs a service replica that a test can kill, stop, resume and drain: a real process, on the API server of its kubeconfig.
// It keeps its port and identity through restarts, as a pod keeps its name.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceSettings } from '../../../src/app/service.ts';
import type { RetryPolicy } from '../../../src/domain/retry.ts';
import type { IssuerSettings } from '../../../src/http/auth/authenticate.ts';

export interface ReplicaSettings
  extends Pick<ServiceSettings, 'parts' | 'installed' | 'tenancy' | 'supersededKept'> {
  /** Default: unlimited. */
  readonly rates?: ServiceSettings['rates'];
  readonly kubeconfig: string;
  readonly issuers: readonly IssuerSettings[];
  readonly systemNamespace: string;
  readonly identity: string;
  readonly artifactsFolder: string;
  readonly policy: RetryPolicy;
  readonly eventTimeoutMs: number;
  readonly workers: number;
  readonly shards?: number | undefined;
  /** 0: any. */
  readonly port: number;
}

export interface Replica {
  readonly identity: string;
  readonly url: string;
  readonly metricsUrl: string;
  /** Undefined before its first start. */
  readonly pid: number | undefined;
  /** Starts it, or starts it again. */
  start(): Promise<void>;
  /** Kills it like a crash; resolves when the process is gone. */
  kill(): Promise<void>;
  /** The same without waiting, for an immediate kill. */
  killNow(): void;
  /** Stops it gracefully. @returns milliseconds that took */
  drain(): Promise<number>;
  /** Stops the process with SIGSTOP. */
  freeze(): void;
  thaw(): void;
  /** Resolves when the process is gone, whatever ended it. */
  ended(): Promise<void>;
  /** Its log, newest last. */
  readonly log: string;
}

const presentMain = join(import.meta.dirname, 'replica-main.ts');
const maxLog = 50_000;

/** @param main the program, such as that of an earlier release */
export function createReplica(settings: ReplicaSettings, main = presentMain): Replica {
  let child: ChildProcess | undefined;
  let gone: Promise<void> = Promise.resolve();
  let log = '';
  let { port } = settings;
  let metricsPort = 0;

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [main, JSON.stringify({ ...settings, port })], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child = started;
    gone = new Promise((done) => started.once('exit', () => done()));
    started.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-maxLog);
    });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    started.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    started.once('exit', () =>
      reject(new Error(`${settings.identity} ended: ${log.slice(-2_000)}`)),
    );
    ({ port, metricsPort } = JSON.parse(await promise) as { port: number; metricsPort: number });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    child?.kill(signal);
    await gone;
  }

  return {
    identity: settings.identity,
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get metricsUrl() {
      return `http://127.0.0.1:${metricsPort}/metrics`;
    },
    get pid() {
      return child?.pid;
    },
    get log() {
      return log;
    },
    start,
    kill: () => end('SIGKILL'),
    killNow: () => void child?.kill('SIGKILL'),
    async drain() {
      const startedAt = performance.now();
      await end('SIGTERM');
      return performance.now() - startedAt;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    ended: () => gone,
  };
}

/** An artifact folder that replicas share. */
export async function artifactsFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'fairlead-artifacts-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
