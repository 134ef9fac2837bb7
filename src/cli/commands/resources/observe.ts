// `fairlead observe`: has the objects of resources observed now, and shows what was found.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { Drift } from '../../../client/drift.ts';
import { since } from '../../../client/time.ts';
import {
  driftText,
  foundSentence,
  type RecordedObservation,
} from '../../../client/words/drift-text.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { driftLines } from '../../resources/drift-lines.ts';
import { oneResource, readResource, selectorsOf } from '../../resources/find.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import { abortablePause } from '../../session/api/retry.ts';
import type { Invocation } from '../../session/invocation.ts';
import { withMeant } from '../../session/meant.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { linesOfError } from '../../terminal/errors/present.ts';
import { ExitCode, worstOf } from '../../terminal/exit-codes.ts';
import type { Output, View } from '../../terminal/output.ts';
import { signOf } from '../../terminal/style.ts';

/** Has no config: what is printed shows no secrets. */
interface ObservedRow {
  readonly resource: string;
  readonly result: 'in_sync' | 'drifted' | 'gone' | 'not_observed';
  readonly observation: RecordedObservation;
  readonly drift: Drift | null;
}

const observedView: View<ObservedRow> = { columns: [], nameOf: ({ resource }) => resource };

const standardTimeoutMs = 60_000;

export async function observe(invocation: Invocation): Promise<ExitCode | undefined> {
  const { args, flags, output, talk } = invocation;
  const names = [...new Set(selectorsOf(args).map(({ text }) => oneResource(text).id))];
  const api = await invocation.api();
  const deadline = AbortSignal.timeout(invocation.timeoutMs ?? standardTimeoutMs);
  const signal = AbortSignal.any([invocation.signal, deadline]);
  const requests = { word: 'observed', total: names.length };
  const results = await withRequestProgress(invocation, requests, (done) =>
    inParallel(names, (id) =>
      observeOne(api, id, signal)
        .catch((thrown: unknown) => observeError(thrown, { id, api, signal: invocation.signal }))
        .finally(done),
    ),
  );
  const observed = results.filter((each) => 'resource' in each);
  if (output.isForPeople) for (const each of observed) showRow(output, each);
  else if (names.length > 1) await output.list(observed, observedView);
  else for (const only of observed) await output.record(only, observedView);
  const errors = results.map((each) => (each instanceof CliError ? each : rowFailure(each)));
  const failures = errors.filter((each) => each !== undefined);
  for (const error of failures) talk.lines(linesOfError(error, talk));
  if (failures.length > 0) return worstOf(failures.map(({ exit }) => exit));
  const isDifferent = observed.some(({ result }) => result !== 'in_sync');
  return isDifferent && flags.on('exit-code') ? ExitCode.different : undefined;
}

const waitSeconds = 20;
const pollMs = 1_000;

/** Observing twice does no harm, so the request may be repeated. */
async function observeOne(api: Api, id: string, signal: AbortSignal): Promise<ObservedRow> {
  const path = { resource_id: id };
  const before = await readResource(api, id, { secrets: 'hide' });
  const answerTimeoutMs = (waitSeconds + 15) * 1_000;
  const headers = { prefer: `wait=${waitSeconds}` };
  const asked = { path, headers, answerTimeoutMs, isRepeatable: true, signal };
  let record = await api.call('observeResource', asked);
  for (;;) {
    const { observation } = record;
    // The time of the last one tells a new observation from it; clocks of client and server may differ.
    if (observation !== null && observation.at !== before.observation?.at) {
      return observedRow(record, observation);
    }
    await abortablePause(pollMs, signal);
    record = await readResource(api, id, { secrets: 'hide' });
  }
}

function observedRow(record: ResourceRecord, observation: RecordedObservation): ObservedRow {
  const { drift } = record;
  return { resource: slashed(record), result: rowResult(observation, drift), observation, drift };
}

function rowResult({ exists }: RecordedObservation, drift: Drift | null): ObservedRow['result'] {
  if (exists === null) return 'not_observed';
  if (!exists) return 'gone';
  return drift === null ? 'in_sync' : 'drifted';
}

/** @throws what is no answer about this resource, such as Ctrl-C */
async function observeError(
  thrown: unknown,
  { id, api, signal }: { id: string; api: Api; signal: AbortSignal },
): Promise<CliError> {
  signal.throwIfAborted();
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
    return new CliError(`${id} was not observed in time.`, {
      exit: ExitCode.timedOut,
      next: shell`Why: fairlead why ${id}`,
    });
  }
  const error = await withMeant(thrown, () => Promise.resolve(api));
  if (error instanceof CliError) return error;
  throw thrown;
}

function rowFailure({ resource, result, observation }: ObservedRow): CliError | undefined {
  if (result !== 'not_observed') return undefined;
  const error = observation.error ?? 'its provider could not tell';
  return new CliError(`${resource} was not observed: ${error.replace(/\.$/, '')}.`, {
    next: shell`Its log: fairlead logs ${resource} --since 10m`,
  });
}

const states = { in_sync: 'ready', drifted: 'pending', gone: 'missing' } as const;

function showRow(output: Output, { resource, result, observation, drift }: ObservedRow): void {
  if (result === 'not_observed') return;
  const sign = signOf(states[result], output.style);
  output.line(`${sign} ${resource}  ${rowSentence({ result, observation, drift }, output)}`);
  if (drift === null || result !== 'drifted') return;
  for (const line of driftLines(drift, output.width)) output.line(line);
}

function rowSentence(
  { result, observation, drift }: Omit<ObservedRow, 'resource'>,
  { look }: Output,
): string {
  if (result !== 'drifted' || drift === null) return foundSentence(observation, drift);
  const before = drift.since === observation.at ? '' : ` for ${since(drift.since, look.now)}`;
  return `Drifted${before}: ${driftText(drift)}`;
}
