// A backing service that cannot be reached is no reason to fail for good: it comes back.
import { setTimeout as pause } from 'node:timers/promises';
import { defaultTimeoutSeconds } from '../../../domain/event.ts';
import { shown } from '../findings.ts';
import { type Processes, startProcesses } from '../kit/process.ts';
import type { Ending } from '../step.ts';
import type { ContractSubject } from './subject.ts';

/** A failed attempt that takes longer holds up the retries. */
const quickMs = 10_000;

export async function checkUnreachable(subject: ContractSubject): Promise<void> {
  const { unreachable } = subject.given;
  if (unreachable === undefined) return;
  const processes = await startedWith(subject, unreachable);
  if (processes === undefined) return;
  try {
    await checkHandlers(subject, processes);
  } finally {
    await processes.close();
  }
}

/** @returns undefined when `check` or `start` throws: the process does not become ready, which is right */
async function startedWith(
  { kit: { provider, log }, found }: ContractSubject,
  settings: Readonly<Record<string, unknown>>,
): Promise<Processes | undefined> {
  const over = new AbortController();
  const late = pause(quickMs, 'late' as const, { signal: over.signal }).catch(
    () => 'over' as const,
  );
  const begun = startProcesses(provider, { settings, log }).then(
    (processes) => processes,
    () => undefined,
  );
  try {
    const first = await Promise.race([begun, late]);
    if (typeof first !== 'string') return first;
    found.add(
      `start while the service is unreachable: expected an error, saw ${noAnswerText(quickMs)}`,
    );
    void begun.then((processes) => processes?.close());
    return undefined;
  } finally {
    over.abort();
  }
}

async function checkHandlers({ resource, found, type }: ContractSubject, processes: Processes) {
  const { timeoutSeconds = defaultTimeoutSeconds } = type;
  const timeoutMs = Math.min(timeoutSeconds * 1_000, quickMs);
  const life = resource({ process: processes.current, timeoutMs });
  const observes = type.observe === undefined ? [] : (['OBSERVE'] as const);
  for (const event_type of ['CREATE', 'DELETE', ...observes] as const) {
    const seen = wrongly(await life.send({ event_type }, { once: true }));
    if (seen === undefined) continue;
    const step = `${event_type.toLowerCase()} while the service is unreachable`;
    found.add(`${step}: expected a failure that Fairlead retries, saw ${seen}`);
  }
}

function wrongly(ending: Ending): string | undefined {
  if (ending.kind === 'unanswered') return noAnswerText(ending.afterMs);
  if (ending.kind === 'succeeded') {
    return ending.observed?.exists === false ? 'gone()' : `success with ${shown(ending.outputs)}`;
  }
  return ending.terminal ? `a terminal failure, ${ending.code}: ${ending.message}` : undefined;
}

function noAnswerText(ms: number): string {
  return `no answer within ${ms / 1_000} s`;
}
