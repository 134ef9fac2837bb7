// Runs one container of a pod: starts its process, watches its probes and exit, and holds its reported state.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from '../../lib/clock.ts';
import type { ChildEnd, ProcessKeeper, Supervised } from '../processes.ts';
import { type Backoff, restartDelayMs, terminatedBy } from './container-exit.ts';
import { type Launch, messageFile } from './launch.ts';
import { createLogFile, forgetOldRuns, type LogFile, logPath, readRecords } from './log-file.ts';
import { rendered, type Stream, tail } from './log-lines.ts';
import { type Container, kubeTime } from './pod.ts';
import type { ContainerState, ContainerView, PodProblem } from './pod-view.ts';
import { runProbes } from './probes.ts';

interface RunnerOptions {
  readonly container: Container;
  readonly ip: string;
  /** The folder of the pod. */
  readonly folder: string;
  readonly keeper: ProcessKeeper;
  readonly clock: Clock;
  readonly backoff: Backoff;
  /** State from an earlier run of the node. */
  readonly before: Pick<ContainerView, 'state' | 'restarts' | 'last'>;
  /** Called when `view` changes. */
  readonly onChange: () => void;
}

export interface ContainerRunner {
  view(): ContainerView;
  start(launch: Launch): void;
  /** Records why it could not start, and when to retry. */
  refuse(problem: PodProblem, retryMs: number): void;
  /** SIGTERM, then SIGKILL; resolves when the process has ended. */
  stop(graceMs: number): Promise<void>;
  /** The log of the current run. */
  readonly log: LogFile | undefined;
}

export function createContainerRunner(options: RunnerOptions): ContainerRunner {
  const { container, folder, keeper, clock, backoff, onChange } = options;
  const { name } = container;
  let { state, restarts, last } = options.before;
  let problem: PodProblem | undefined;
  let notBefore = 0;
  let crashes = 0;
  let child: Supervised | undefined;
  let log: LogFile | undefined;

  function update(change: Partial<Extract<ContainerState, { kind: 'running' }>>): void {
    if (state.kind !== 'running') return;
    state = { ...state, ...change };
    onChange();
  }

  function start(launch: Launch): void {
    const run = state.kind === 'ended' ? restarts + 1 : restarts;
    forgetOldRuns(folder, name);
    const writing = createLogFile(logPath(folder, name, run), { clock });
    const began = clock.now();
    const process = startProcess(launch, writing);
    if (state.kind === 'ended') last = state.ended;
    restarts = run;
    problem = undefined;
    log = writing;
    child = process;
    const { startupProbe, readinessProbe } = container;
    const containerID = `fairlead://${randomUUID()}`;
    const startedAt = kubeTime(began);
    const begins = startupProbe === undefined;
    const ready = begins && readinessProbe === undefined;
    state = { kind: 'running', startedAt, containerID, started: begins, ready };
    const probing = new AbortController();
    void process.ended.then((end) => {
      probing.abort();
      writing.end();
      ended(end, { began, startedAt, containerID });
    });
    runProbes(
      { container, ip: options.ip },
      {
        onStarted: () => update({ started: true }),
        onReady: (isReady) => update({ ready: isReady }),
        onUnhealthy: (unhealthy) => update({ unhealthy }),
      },
      probing.signal,
    );
  }

  /** @returns the process; one that could not start has ended with the error */
  function startProcess({ command, args, env, cwd }: Launch, output: LogFile): Supervised {
    const onOutput = (stream: Stream, chunk: Buffer) => output.write(stream, chunk);
    try {
      return keeper.start(name, command, { args, env, cwd, onOutput });
    } catch (thrown) {
      // Arguments that no process can have, such as a megabyte of them.
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      const end = Promise.resolve({ code: 127, signal: null, error });
      return { name, pid: 0, ended: end, stop: () => Promise.resolve() };
    }
  }

  function ended(end: ChildEnd, run: { began: Date; startedAt: string; containerID: string }) {
    const finishedAt = clock.now();
    const failed = end.code !== 0;
    const unwell = state.kind === 'running' ? (state.unhealthy ?? '') : '';
    const message =
      terminationMessage({ container: name, folder, run: restarts, failed }) || unwell;
    state = { kind: 'ended', ended: terminatedBy(end, { ...run, finishedAt, message }) };
    child = undefined;
    log = undefined;
    const lastedMs = finishedAt.getTime() - run.began.getTime();
    crashes = lastedMs >= backoff.steadyMs ? 1 : crashes + 1;
    const delayMs = restartDelayMs(crashes, backoff);
    notBefore = finishedAt.getTime() + delayMs;
    if (delayMs > 0) {
      problem = {
        reason: 'CrashLoopBackOff',
        message: `back-off ${Math.ceil(delayMs / 1_000)}s restarting failed container=${name}`,
      };
    }
    onChange();
  }

  return {
    view: () => ({ container, state, restarts, last, problem, notBefore }),
    start,
    refuse(why, retryMs) {
      problem = { reason: why.reason, message: why.message };
      notBefore = clock.now().getTime() + retryMs;
    },
    async stop(graceMs) {
      const stopBy = clock.now().getTime() + graceMs;
      if (state.kind === 'running') state = { ...state, stopBy };
      await child?.stop(graceMs);
    },
    get log() {
      return log;
    },
  };
}

// Reads the termination message of a container: its termination message path, or the end of its log.

const maxMessageBytes = 4_096;
const maxFromLogBytes = 2_048;
const linesFromLog = 80;

interface EndedContainer {
  readonly container: string;
  readonly folder: string;
  readonly run: number;
  readonly failed: boolean;
}

/** @returns the message, or '' if there is none */
function terminationMessage({ container, folder, run, failed }: EndedContainer): string {
  const written = messageIn(messageFile(folder, container));
  if (written !== '' || !failed) return written;
  const records = tail(readRecords(logPath(folder, container, run)), linesFromLog);
  const text = rendered(records, { timestamps: false });
  return text.subarray(Math.max(0, text.length - maxFromLogBytes)).toString('utf8');
}

function messageIn(path: string): string {
  try {
    return readFileSync(path).toString('utf8', 0, maxMessageBytes);
  } catch {
    return '';
  }
}
