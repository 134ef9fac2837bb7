// Runs the probes of one container run, from its start until the signal: startup first, then readiness and liveness in
// parallel. It reports changes only.
import { setTimeout as pause } from 'node:timers/promises';
import type { Probe } from './pod.ts';
import type { Unhealthy } from './pod-view.ts';
import { type ProbeTarget, probeOnce } from './probe.ts';

export interface ProbeHandlers {
  onStarted(): void;
  onReady(ready: boolean): void;
  onUnhealthy(unhealthy: Unhealthy): void;
}

export function runProbes(target: ProbeTarget, handlers: ProbeHandlers, signal: AbortSignal): void {
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
      handlers.onUnhealthy(unhealthy('Startup', probe, why));
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
      handlers.onUnhealthy(unhealthy('Liveness', probe, why));
      return;
    }
  }
}

interface Verdict {
  readonly well: boolean;
  readonly why: string;
}

async function* verdicts(
  probe: Probe,
  target: ProbeTarget,
  signal: AbortSignal,
): AsyncGenerator<Verdict> {
  const judge = createJudge(probe);
  await quietly(probe.initialDelaySeconds ?? 0, signal);
  while (!signal.aborted) {
    const why = await probeOnce(probe, target);
    if (signal.aborted) return;
    if (judge(why === undefined)) yield { well: why === undefined, why: why ?? '' };
    await quietly(probe.periodSeconds ?? 10, signal);
  }
}

/** @returns a function that takes each result, and reports a change after enough equal results in a row */
export function createJudge({
  successThreshold = 1,
  failureThreshold = 3,
}: Probe): (well: boolean) => boolean {
  let verdict: boolean | undefined;
  let last: boolean | undefined;
  let streak = 0;
  return (well) => {
    streak = well === last ? streak + 1 : 1;
    last = well;
    if (well === verdict || streak < (well ? successThreshold : failureThreshold)) return false;
    verdict = well;
    return true;
  };
}

function unhealthy(name: string, probe: Probe, why: string): Unhealthy {
  return {
    message: `${name} probe failed: ${why}`,
    graceSeconds: probe.terminationGracePeriodSeconds,
  };
}

async function quietly(seconds: number, signal: AbortSignal): Promise<void> {
  await pause(seconds * 1_000, undefined, { signal, ref: false }).catch(() => undefined);
}
