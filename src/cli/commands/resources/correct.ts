// `fairlead correct`: has what differs made what the config declares, after it has shown the differences. It does
// not ask: what the config declares is what people wanted, and --dry-run only shows.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { Drift } from '../../../client/drift.ts';
import { isInDeletion } from '../../../client/shown-state.ts';
import { driftText, isSameDrift } from '../../../client/words/drift-text.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { canonicalJson } from '../../../lib/json.ts';
import { type AcceptedTarget, settledTargets } from '../../resources/apply/outcome.ts';
import { driftLines } from '../../resources/drift-lines.ts';
import { oneResource, selectorsOf } from '../../resources/find.ts';
import { resourceView } from '../../resources/resource-view.ts';
import {
  changeEach,
  type RecordVersion,
  readVersion,
  readVersions,
  requireAll,
} from '../../resources/versions.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

type Drifted = RecordVersion & { readonly drift: Drift };

export async function correct(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const names = new Set(selectorsOf(args).map(({ text }) => oneResource(text).id));
  const api = await invocation.api();
  const drifted = driftedIn(invocation, await readVersions(api, [...names]));
  showDifferences(invocation, drifted);
  if (flags.on('dry-run') || drifted.length === 0) {
    if (drifted.length > 0) talk.note('Nothing was changed.');
    if (!output.isForPeople) await printDrifted(invocation, drifted);
    return;
  }
  const { changed, failed } = await changeEach(drifted, (version) => sentCorrection(api, version));
  const settled = await settledTargets(invocation, changed);
  const records = changed.map(({ id, applied }) => settled.records.get(id) ?? applied);
  if (!(output.isForPeople && settled.isShown)) await output.list(records, resourceView);
  requireAll(failed, drifted.length);
  if (settled.error !== undefined) throw settled.error;
}

async function printDrifted({ output }: Invocation, drifted: readonly Drifted[]): Promise<void> {
  await output.list(
    drifted.map(({ record }) => record),
    resourceView,
  );
}

/** @throws CliError for one that is being deleted */
function driftedIn({ talk }: Invocation, versions: readonly RecordVersion[]): readonly Drifted[] {
  return versions.flatMap((version) => {
    const { record } = version;
    const name = slashed(record);
    if (isInDeletion(record)) throw beingDeleted(name);
    if (record.drift !== null) return [{ ...version, drift: record.drift }];
    talk.note(
      shell`${name} has not drifted: there is nothing to correct.  Look now: fairlead observe ${name}`,
    );
    return [];
  });
}

function beingDeleted(name: string): CliError {
  return new CliError(`${name} is being deleted, and cannot be corrected.`, {
    exit: ExitCode.conflict,
    next: shell`fairlead why ${name}`,
  });
}

function showDifferences({ output, talk }: Invocation, drifted: readonly Drifted[]): void {
  if (!output.isForPeople) return;
  for (const { record, drift } of drifted) {
    const isGone = drift.kind === 'gone';
    const name = talk.style.paint('yellow', `${isGone ? '+' : '~'} ${slashed(record)}`);
    const then = isGone ? ', and is created again' : '';
    const lines = isGone ? [] : driftLines(drift, talk.width);
    talk.lines([`${name}  ${driftText(drift)}${then}`, ...lines]);
  }
}

/** Status writes of the controller also make a new version. */
const maxRounds = 5;

/** @throws CliError when something else differs than what was shown */
async function sentCorrection(api: Api, version: Drifted): Promise<AcceptedTarget> {
  let etag = version.etag;
  for (let round = 1; ; round += 1) {
    const path = { resource_id: version.record.id };
    const headers = etag === undefined ? {} : { 'if-match': etag };
    try {
      return correctionTarget(await api.call('correctResource', { path, headers }));
    } catch (thrown) {
      const isLost = thrown instanceof ApiError && thrown.code === 'precondition_failed';
      if (!isLost || round === maxRounds) throw thrown;
    }
    const now = await readVersion(api, version.record.id);
    if (!hasSameDrift(now.record, version.record)) throw changedSince(slashed(version.record));
    etag = now.etag;
  }
}

function hasSameDrift(left: ResourceRecord, right: ResourceRecord): boolean {
  return (
    canonicalJson(left.config) === canonicalJson(right.config) &&
    isSameDrift(left.drift, right.drift)
  );
}

function changedSince(name: string): CliError {
  return new CliError(`${name} was changed while you looked at it, and was not corrected.`, {
    exit: ExitCode.conflict,
    next: shell`Look again: fairlead get ${name}`,
  });
}

function correctionTarget(record: ResourceRecord): AcceptedTarget {
  const { id, provider } = record;
  return { ref: slashed(record), id, provider, applied: record, cells: ['corrected'] };
}
