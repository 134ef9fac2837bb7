// One process that runs the code of an author, in a process group of its own: what was sent to it, and how it ended.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { ChildNews, ChildOptions, FromChild, ToChild } from '../messages.ts';
import { createChildSecrets } from './child-secrets.ts';
import { guardGroup } from './guardian.ts';
import { maskedLines } from './masked-lines.ts';
import { passOn, Tail } from './output.ts';

export interface ProviderProcess {
  readonly pid: number;
  readonly send: (message: ToChild) => void;
  /** Ends the group at once. */
  readonly kill: () => void;
  /** The end of what it has printed, without secrets. */
  readonly printed: () => string;
  /** The same as it was printed, and sooner: for this process alone. */
  readonly unmasked: () => string;
  /** @returns bytes of memory that belong to it alone */
  readonly memoryBytes: () => number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  readonly options: ChildOptions;
  /** The largest heap in MiB; undefined: that of Node.js. */
  readonly heapMi: number | undefined;
  readonly onMessage: (message: ChildNews) => void;
  readonly onEnd: (end: ProcessEnd) => void;
}

const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
const program = fileURLToPath(new URL(`../child/main.${extension}`, import.meta.url));

/** The last output of a process that has ended may still arrive; a descendant may hold the pipe open for ever. */
const lastOutputMs = 500;

export function startProcess({
  options,
  heapMi,
  onMessage,
  onEnd,
}: ProcessOptions): ProviderProcess {
  const [tail, unmasked] = [new Tail(), new Tail()];
  const secrets = createChildSecrets(() => outputs.some(({ isHolding }) => isHolding()));
  const child = fork(program, [], {
    serialization: 'advanced',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [
      ...(heapMi === undefined ? [] : [`--max-old-space-size=${heapMi}`]),
      // Opened by a signal alone, when its event loop is blocked.
      '--inspect-port=127.0.0.1:0',
    ],
  });
  const { pid, stdout, stderr } = child;
  let end: ProcessEnd | undefined;
  let isOver = false;
  const finish = () => {
    if (isOver || end === undefined) return;
    isOver = true;
    onEnd(end);
  };
  const outputs = (
    [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const
  ).map(([name, stream]) => {
    const lines = maskedLines(secrets);
    stream?.on('data', unmasked.ofStream());
    stream?.pipe(lines.stream);
    lines.stream.on('data', tail.ofStream());
    passOn(lines.stream, name);
    return lines;
  });
  const release = pid === undefined ? () => undefined : guardGroup(pid);
  const kill = () => signalGroup(pid);
  child.on('message', (given) => {
    const message = given as FromChild;
    if (message.kind === 'secrets') {
      secrets.add(message.id, message.texts);
      return;
    }
    if (message.kind === 'answer') secrets.release(message.id);
    onMessage(message);
  });
  child.on('error', (error) => {
    if (pid !== undefined) return;
    tail.add(error.message);
    end = { code: 1, signal: null };
    finish();
  });
  child.once('exit', (code, signal) => {
    end = { code, signal };
    kill();
    release();
    setTimeout(finish, lastOutputMs);
  });
  child.once('close', () => {
    void Promise.allSettled(outputs.map(({ stream }) => finished(stream))).then(finish);
  });
  const send = (message: ToChild) => {
    if (child.connected) child.send(message, undefined, undefined, () => undefined);
  };
  send({ kind: 'start', options });
  return {
    pid: pid ?? 0,
    send,
    kill,
    printed: () => tail.text() + outputs.map(({ held }) => held()).join(''),
    unmasked: () => unmasked.text(),
    memoryBytes: () => (pid === undefined ? 0 : ownMemory(pid)),
  };
}

function signalGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Already gone, which is the desired result.
  }
}

const pageBytes = 4_096;

/** @returns bytes without what is mapped from files; 0 where that is unknown */
export function ownMemory(pid: number | 'self'): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    return 0;
  }
}
