// Sends declarations to the API: what others use first, several at the same time. A user of a refused one is not sent, and neither is
// what is unchanged.
import type { ResourceRecord } from '../../../api/shapes.ts';
import type { Api } from '../../session/api/client.ts';
import { inParallel } from '../../session/api/parallel.ts';
import { withRequestProgress } from '../../session/api/request-progress.ts';
import type { Invocation } from '../../session/invocation.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { inOrder } from '../declarations/order.ts';
import { applyRequest, type CheckedDeclaration, type PlannedChange } from './check.ts';

export interface SentDeclaration {
  readonly checked: CheckedDeclaration;
  readonly change: PlannedChange;
  readonly record: ResourceRecord;
}

export interface NotSent {
  readonly checked: CheckedDeclaration;
  readonly error: CliError;
}

export async function sendAll(
  invocation: Invocation,
  checked: readonly CheckedDeclaration[],
): Promise<readonly (SentDeclaration | NotSent)[]> {
  const api = await invocation.api();
  const ordered = inOrder(checked, ({ declaration: { ref, body } }) => ({ ref, ...body }));
  const wasSent = new Map(ordered.map(({ ref }) => [ref, Promise.withResolvers<boolean>()]));
  const total = checked.filter((each) => unchangedResult(each) === undefined).length;
  return await withRequestProgress(invocation, { word: 'sent', total }, (done) =>
    inParallel(ordered, async ({ item, ref, uses }) => {
      const same = unchangedResult(item);
      if (same !== undefined) {
        wasSent.get(ref)?.resolve(true);
        return same;
      }
      const missing = await firstMissing(uses, wasSent);
      const result =
        missing === undefined
          ? await sendResult(api, item)
          : { checked: item, error: notSent(ref, missing) };
      wasSent.get(ref)?.resolve('record' in result);
      done();
      return result;
    }),
  );
}

/** @returns the result without a request; undefined when there is something to send */
function unchangedResult(checked: CheckedDeclaration): SentDeclaration | undefined {
  const { change, record } = checked;
  return change === 'none' && record !== undefined ? { checked, change, record } : undefined;
}

/** @returns the first of some resources that was not sent, once that is certain */
async function firstMissing(
  uses: readonly string[],
  wasSent: ReadonlyMap<string, PromiseWithResolvers<boolean>>,
): Promise<string | undefined> {
  for (const ref of uses) {
    if ((await wasSent.get(ref)?.promise) !== true) return ref;
  }
  return undefined;
}

async function sendResult(
  api: Api,
  checked: CheckedDeclaration,
): Promise<SentDeclaration | NotSent> {
  const { declaration, change } = checked;
  const query = change === 'replace' ? { replace: true } : {};
  try {
    const record = await api.call('applyResource', { ...applyRequest(declaration), query });
    return { checked, change, record };
  } catch (thrown) {
    if (thrown instanceof CliError) return { checked, error: thrown };
    throw thrown;
  }
}

function notSent(ref: string, used: string): CliError {
  return new CliError(`${ref} was not sent, because it uses ${used}.`, { exit: ExitCode.failed });
}
