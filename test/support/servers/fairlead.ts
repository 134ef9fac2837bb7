// Runs Fairlead as users do: the real process, its HTTP API, tokens from its own command, kubectl with its kubeconfig.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../../src/app/config/index.ts';
import { printableToken } from '../../../src/dev/token.ts';
import { eventually } from '../runner/eventually.ts';
import { freePort } from '../runner/free-port.ts';
import { testBinaries } from './control-plane.ts';

const run = promisify(execFile);
const main = resolve(import.meta.dirname, '../../../src/main.ts');

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Caller {
  readonly token: string;
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
}

export interface FairleadOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

type Ports = readonly [number, number, number, number];

/** Where a Fairlead of another process is. */
export interface Place {
  readonly folder: string;
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string>>;
}

export class Fairlead {
  readonly folder: string;
  readonly url: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly place: Place;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, ports: Ports, { env = {}, flags = [] }: FairleadOptions) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.place = { folder, ports, env };
    this.#flags = flags;
    this.environment = {
      ...process.env,
      FAIRLEAD_DATA: join(folder, 'data'),
      FAIRLEAD_PORT: String(ports[0]),
      FAIRLEAD_ISSUER_PORT: String(ports[1]),
      FAIRLEAD_INTERNAL_PORT: String(ports[2]),
      FAIRLEAD_METRICS_PORT: String(ports[3]),
      // Disabled, because few tests are about rate limits.
      FAIRLEAD_RATE_LIMIT: '0',
      FAIRLEAD_PUSH_LIMIT_PER_MINUTE: '0',
      FAIRLEAD_MIN_READY_SECONDS: '1',
      ...env,
    };
  }

  /** A Fairlead that another process has started, and stops. */
  static at({ folder, ports, env }: Place): Fairlead {
    return new Fairlead(folder, ports, { env });
  }

  /** Starts a separate Fairlead on free ports with its own data folder. */
  static async start(options: FairleadOptions = {}): Promise<Fairlead> {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-e2e-'));
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    const fairlead = new Fairlead(folder, ports, options);
    await fairlead.up();
    return fairlead;
  }

  get kubeconfig(): string {
    return join(this.folder, 'data', 'kubeconfig');
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async up(): Promise<void> {
    const child = spawn(process.execPath, [main, 'dev', ...this.#flags], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-100_000);
      });
    }
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Fairlead ended: ${this.#output.slice(-2_000)}`);
      const answer = await fetch(`${this.url}/readyz`);
      if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}`);
    }, 60_000);
  }

  /** Stops it like Ctrl-C; resolves when the process is gone. */
  async down(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** Kills it like a crash: nothing is flushed. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  /** Starts a second process beside the running one. @throws its output, when it ended with an error */
  async attempt(): Promise<void> {
    try {
      await run(process.execPath, [main, 'dev', ...this.#flags], {
        env: this.environment,
        timeout: 60_000,
      });
    } catch (thrown) {
      throw new Error((thrown as { stderr?: string }).stderr ?? String(thrown));
    }
  }

  /** Kills its kube-apiserver; the caller must start it again. */
  async killApiServer(): Promise<void> {
    const { stdout } = await run('ps', ['-eo', 'pid=,args=']);
    const pids = stdout
      .split('\n')
      .filter((line) => line.includes('kube-apiserver') && line.includes(this.folder))
      .map((line) => Number.parseInt(line, 10));
    if (pids.length === 0) throw new Error('no kube-apiserver of this Fairlead runs');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  }

  async destroy(): Promise<void> {
    await this.down();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What `fairlead-server token` prints, without the cost of another Node. */
  token(...flags: readonly string[]): Promise<string> {
    return printableToken(flags, loadConfig([], this.environment));
  }

  async caller(organization: string, ...flags: readonly string[]): Promise<Caller> {
    const token = await this.token('--org', organization, ...flags);
    const ask = (method: string, path: string, body?: unknown) =>
      request(`${this.url}${path}`, { method, token, body });
    return {
      token,
      get: (path) => ask('GET', path),
      post: (path, body) => ask('POST', path, body),
      delete: (path) => ask('DELETE', path),
    };
  }

  /** Runs the program that `fairlead kubectl` runs, without the cost of another Node. */
  async kubectl(...words: readonly string[]): Promise<string> {
    const { file, args } = await this.#kubectl(words);
    const { stdout } = await run(file, args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  /** kubectl with an object on its standard input. */
  async apply(object: unknown): Promise<string> {
    const { file, args } = await this.#kubectl(['apply', '-f', '-']);
    const applying = run(file, args);
    applying.child.stdin?.end(JSON.stringify(object));
    return (await applying).stdout;
  }

  async #kubectl(words: readonly string[]) {
    const { kubectl: file } = await testBinaries();
    const cache = join(this.folder, 'data', 'kubectl-cache');
    const own = ['--kubeconfig', this.kubeconfig, '--cache-dir', cache];
    return { file, args: [...own, ...words] };
  }
}

interface Ask {
  readonly method: string;
  readonly token?: string;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export async function request(url: string, { method, token, body }: Ask): Promise<Reply> {
  const headers = new Headers();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, body: parsed(await answer.text()) };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
