// Runs the probes of one container run, from its start until the signal: startup first, then readiness and liveness in
// parallel. It reports changes only.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Container, Probe } from './pod.ts';

interface ProbeTarget {
  readonly container: Container;
  readonly ip: string;
}

export function runProbes(
  target: ProbeTarget,
  handlers: {
    onStarted(): void;
    onReady(ready: boolean): void;
    /** The container must be restarted. */
    onUnhealthy(message: string): void;
  },
  signal: AbortSignal,
): void {
  const { startupProbe, readinessProbe, livenessProbe } = target.container;
  void run();

  async function run(): Promise<void> {
    if (startupProbe !== undefined && !(await startup(startupProbe))) return;
    if (signal.aborted) return;
    handlers.onStarted();
    if (readinessProbe === undefined) handlers.onReady(true);
    else void readiness(readinessProbe);
    if (livenessProbe !== undefined) void liveness(livenessProbe);
  }

  async function startup(probe: Probe): Promise<boolean> {
    for await (const { well, why } of verdicts(probe, target, signal)) {
      if (well) return true;
      handlers.onUnhealthy(`Startup probe failed: ${why}`);
      return false;
    }
    return false;
  }

  async function readiness(probe: Probe): Promise<void> {
    for await (const { well } of verdicts(probe, target, signal)) handlers.onReady(well);
  }

  async function liveness(probe: Probe): Promise<void> {
    for await (const { well, why } of verdicts(probe, target, signal)) {
      if (well) continue;
      handlers.onUnhealthy(`Liveness probe failed: ${why}`);
      return;
    }
  }
}

async function* verdicts(
  probe: Probe,
  target: ProbeTarget,
  signal: AbortSignal,
): AsyncGenerator<{ well: boolean; why: string }> {
  const judge = createJudge(probe);
  while (!signal.aborted) {
    const why = await probeOnce(probe, target.ip);
    if (signal.aborted) return;
    if (judge(why === undefined)) yield { well: why === undefined, why: why ?? '' };
    await pauseQuietly(probe.periodSeconds ?? 10, signal);
  }
}

/** @returns a function that takes each result, and reports a change: a success at once, a failure after enough in a row */
export function createJudge({ failureThreshold = 3 }: Probe): (well: boolean) => boolean {
  let verdict: boolean | undefined;
  let failures = 0;
  return (well) => {
    failures = well ? 0 : failures + 1;
    if (well === verdict || (!well && failures < failureThreshold)) return false;
    verdict = well;
    return true;
  };
}

/** @returns the reason of a failure */
function probeOnce(
  { httpGet: { port, path }, timeoutSeconds = 1 }: Probe,
  host: string,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
  const sent = request({ host, port, path, agent: false, signal });
  sent.once('response', (response) => {
    const { statusCode = 0 } = response;
    response.on('error', () => undefined).resume();
    const well = statusCode >= 200 && statusCode < 400;
    resolve(well ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
  });
  sent.on('error', ({ message }) => resolve(message));
  sent.end();
  return promise;
}

async function pauseQuietly(seconds: number, signal: AbortSignal): Promise<void> {
  await pause(seconds * 1_000, undefined, { signal, ref: false }).catch(() => undefined);
}
