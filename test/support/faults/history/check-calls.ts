// I1: acknowledged writes are present. Per name, the calls are a register: a read, and the final state, show a write that
// may have been the last one to take effect by then.
import { canonicalJson, type JsonObject } from '../../../../src/lib/json.ts';
import { type Call, finalResources, type History, type Name, type Violation } from './model.ts';

type Write = Extract<Call, { action: 'apply' | 'delete' }>;

export function* checkCalls(history: History): Iterable<Violation> {
  const byName = Map.groupBy(history.calls, ({ name }) => name);
  const left = finalResources(history);
  for (const [name, calls] of byName) {
    const writes = calls.filter(isWrite).filter(({ outcome }) => outcome !== 'fail');
    yield* checkReads(name, calls, writes);
    const found = left.get(name);
    const shown =
      found === undefined || found.metadata.deletionTimestamp !== undefined
        ? undefined
        : (found.spec.config as JsonObject);
    if (!mayShow(writes, shown, { from: Infinity, to: Infinity })) {
      yield violation(name, `${describe(shown)} is left at the end`);
    }
  }
}

function isWrite(call: Call): call is Write {
  return call.action === 'apply' || call.action === 'delete';
}

function* checkReads(
  name: Name,
  calls: readonly Call[],
  writes: readonly Write[],
): Iterable<Violation> {
  for (const call of calls) {
    if (call.action !== 'read' || call.outcome !== 'ok') continue;
    const shown = call.record?.config;
    if (mayShow(writes, shown, { from: call.invokedAt, to: call.endedAt })) continue;
    yield violation(name, `a read showed ${describe(shown)}`);
  }
}

/** Returns true if a read within a time may have found this config, or nothing if undefined. */
function mayShow(
  writes: readonly Write[],
  shown: JsonObject | undefined,
  { from, to }: { from: number; to: number },
): boolean {
  const acknowledged = writes.filter(({ outcome, endedAt }) => outcome === 'ok' && endedAt < from);
  const overwritten = (endedAt: number) =>
    acknowledged.some(({ invokedAt }) => invokedAt > endedAt);
  if (shown === undefined && acknowledged.length === 0) return true;
  return writes.some(
    (write) => write.invokedAt < to && !overwritten(write.endedAt) && leaves(write, shown),
  );
}

function leaves(write: Write, shown: JsonObject | undefined): boolean {
  if (write.action === 'delete') return shown === undefined;
  return shown !== undefined && canonicalJson(shown) === canonicalJson(write.config);
}

function describe(shown: JsonObject | undefined): string {
  return shown === undefined ? 'nothing' : `config ${canonicalJson(shown)}`;
}

function violation(name: Name, what: string): Violation {
  const message = `${what}, which no write that may have been the last one wrote`;
  return { invariant: 'I1', subject: name, message };
}
