// Runs a program with the inspector of Node.js, which measures its memory from outside: the program needs no code for it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export interface Memory {
  /** Bytes of objects that are reachable after a garbage collection. */
  readonly heap: number;
  /** Resident bytes of the process. */
  readonly resident: number;
  /** Resident bytes before the collection, so with what the program has not collected itself. */
  readonly uncollected: number;
}

export interface Inspected {
  /** The last lines of its output. */
  readonly output: string;
  /** Collects garbage first. */
  memory(): Promise<Memory>;
  /** Stops it like a rollout. */
  stop(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const keptOutput = 20_000;

/** Resolves once the inspector listens, before the program is ready. */
export async function startInspected(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Inspected> {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const inspector = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-keptOutput);
        const [url] = /ws:\/\/\S+/.exec(output) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
    child.once('exit', () => reject(endedWith(output)));
  });
  const socket = new WebSocket(await inspector);
  await once(socket, 'open');
  const answers = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) answers.get(message.id)?.(message);
  });
  let sent = 0;

  async function send(method: string): Promise<unknown> {
    sent += 1;
    const id = sent;
    const answer = new Promise<Message>((resolve) => answers.set(id, resolve));
    socket.send(JSON.stringify({ id, method }));
    const { result, error } = await answer;
    answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const { pid = 0 } = child;
  return {
    get output() {
      return output;
    },
    async memory() {
      const uncollected = residentBytes(pid);
      await send('HeapProfiler.collectGarbage');
      const { usedSize } = (await send('Runtime.getHeapUsage')) as { readonly usedSize: number };
      return { heap: usedSize, resident: residentBytes(pid), uncollected };
    },
    async stop() {
      socket.close();
      await ended(child);
    },
  };
}

function endedWith(output: string): Error {
  return new Error(`The program ended: ${output.slice(-2_000)}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function residentBytes(pid: number): number {
  const [, kiB = ''] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kiB) * 1_024;
}
