// Forwards a local port to the API pod, also after the pod is replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../runner/eventually.ts';
import { freePort } from '../runner/free-port.ts';

export interface ForwardOptions {
  readonly namespace: string;
  /** The port of the pods. */
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
}

export class PortForward {
  readonly url: string;
  readonly #words: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  private constructor(port: number, words: readonly string[], env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    this.#words = words;
    this.#env = env;
  }

  /** @param target such as `deploy/fairlead-api` */
  static async to(target: string, { namespace, port, env }: ForwardOptions): Promise<PortForward> {
    const local = await freePort();
    const words = ['--namespace', namespace, 'port-forward', target, `${local}:${port}`];
    return new PortForward(local, words, env);
  }

  /** Resolves when a pod is ready. */
  async open(timeoutMs = 120_000): Promise<void> {
    await eventually(async () => {
      await this.#listening();
      try {
        const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(3_000) });
        if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}`);
      } catch (thrown) {
        // kubectl keeps its first pod, even when that is gone.
        await this.close();
        throw thrown;
      }
    }, timeoutMs);
  }

  async #listening(): Promise<void> {
    if (this.#child !== undefined) return;
    const child = spawn('kubectl', this.#words, {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    // It writes a line for each connection, and must not block on an unread pipe.
    child.stdout.resume();
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
