// `fairlead wait`: waits until resources are ready, failed, deleted, or settled.

import { type Selector, tupleOf } from '../../../client/selector.ts';
import { idOf, slashed } from '../../../domain/identity.ts';
import { readDeclarations } from '../../resources/declarations/declaration.ts';
import { readingFor } from '../../resources/declarations/folder.ts';
import { filterFrom, findRecords, selectorsOf } from '../../resources/find.ts';
import { resourceView } from '../../resources/resource-view.ts';
import type { Goal } from '../../resources/watch/goal.ts';
import { type SettleTarget, settle, settleError } from '../../resources/watch/settle.ts';
import type { Invocation } from '../../session/invocation.ts';
import { unknownIn } from '../../session/meant.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';

export async function wait(invocation: Invocation): Promise<void> {
  const { flags, output } = invocation;
  const goal = (flags.text('for') ?? 'settled') as Goal;
  const targets = await targetsOf(invocation);
  if (targets.length === 0) {
    invocation.talk.note('No resource matches.');
    return;
  }
  const outcome = await settle(invocation, targets, { goal });
  const records = outcome.results.flatMap(({ record }) => record ?? []);
  if (!output.isForPeople) await output.list(records, resourceView);
  const error = settleError(outcome, goal);
  if (error !== undefined) throw error;
}

async function targetsOf(invocation: Invocation): Promise<readonly SettleTarget[]> {
  const { args, flags, environment } = invocation;
  const files = flags.texts('file');
  const selectors = selectorsOf(args);
  const isSome = flags.texts('tag').length > 0 || flags.text('set') !== undefined;
  if (files.length === 0 && selectors.length === 0 && !isSome) {
    throw usageError('Name resources, files with -f, or a set.', 'fairlead wait --help');
  }
  const declared =
    files.length === 0 ? [] : await readDeclarations(files, environment, readingFor(invocation));
  const several = selectors.filter((selector) => tupleOf(selector) === undefined);
  const isFiltered = several.length > 0 || (selectors.length === 0 && files.length === 0);
  const filter = { ...(await filterFrom(invocation)), deleting: 'include' as const };
  const found = isFiltered ? await findRecords(await invocation.api(), several, filter) : [];
  const [unknown] = isFiltered ? await unknownIn(await invocation.api(), several, found) : [];
  if (unknown !== undefined) throw unknown;
  const tuples = [
    ...declared.map(({ body }) => body),
    ...selectors.flatMap((selector: Selector) => tupleOf(selector) ?? []),
    ...found,
  ];
  const targets = tuples.map((tuple) => ({
    ref: slashed(tuple),
    id: idOf(tuple),
    provider: tuple.provider,
  }));
  return [...new Map(targets.map((target) => [target.id, target])).values()];
}
