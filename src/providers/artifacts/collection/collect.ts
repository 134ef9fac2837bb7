// Performs one pass of the garbage collection. A crash between any two steps leaves what the next pass finds and continues:
// bytes exist in at least one of the two places until they are purged from the trash.
import type {
  Amount,
  CollectionReport,
  CollectionRequest,
  Digest,
} from '../../../domain/providers/artifact.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type ClaimableStore, permissionOf } from './claims.ts';
import { stateName } from './names.ts';
import { type AgedArtifact, type CollectionPlan, type Inventory, plan } from './plan.ts';
import { advance, formatState, parseState } from './state.ts';

/** The operations of a folder or a bucket for a pass. Every method succeeds when its work is done already. */
export interface CollectableStore extends ClaimableStore {
  list(): Promise<Inventory>;
  /** The size of an artifact in either place; 0 when it is gone. */
  sizeOf(digest: Digest): Promise<number>;
  mark(entry: AgedArtifact): Promise<void>;
  unmark(entry: AgedArtifact): Promise<void>;
  /** Moves an artifact to the trash. */
  discard(entry: AgedArtifact): Promise<void>;
  /** Moves it back, unless the same bytes were uploaded again. */
  restore(entry: AgedArtifact): Promise<void>;
  purge(entry: AgedArtifact): Promise<void>;
}

interface CollectionPass {
  readonly store: CollectableStore;
  readonly signal: AbortSignal;
}

const nothing: Amount = { count: 0, bytes: 0 };
const atATime = 8;

export async function collect(
  store: CollectableStore,
  request: CollectionRequest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<CollectionReport> {
  const pass = { store, signal };
  const permission = await permissionOf(store, request);
  if (permission.outcome !== 'done') return collectionReport(permission);
  const before = parseState(await store.readText(stateName));
  const now = clock.now();
  const isTakenOver = before !== undefined && before.installation !== request.installation;
  const listed = await store.list();
  const inventory = isTakenOver ? await beginAnew(pass, listed) : listed;
  const state = advance(before, { ...request, now });
  await store.writeText(stateName, formatState(state));
  return await performPlan(pass, plan(inventory, { ...request, now: state.seconds }), {
    dryRun: request.dryRun,
    now: state.seconds,
    trash: inventory.trash,
  });
}

/** Marked artifacts, and those in the trash, were unreferenced by the objects of the other installation. */
async function beginAnew(
  pass: CollectionPass,
  { artifacts, marks, trash }: Inventory,
): Promise<Inventory> {
  await each(pass, trash, pass.store.restore);
  await each(pass, marks, pass.store.unmark);
  const restored = trash.map(({ digest }) => digest);
  return { artifacts: new Set([...artifacts, ...restored]), marks: [], trash: [] };
}

async function performPlan(
  pass: CollectionPass,
  planned: CollectionPlan,
  { dryRun, now, trash }: { dryRun: boolean; now: number; trash: readonly AgedArtifact[] },
): Promise<CollectionReport> {
  const { store } = pass;
  const { restore, unmark, mark, due, purge, waiting } = planned;
  const marked = mark.map((digest) => ({ digest, seconds: now }));
  const restored = await amountOf(pass, restore);
  await each(pass, restore, store.restore);
  await each(pass, unmark, store.unmark);
  await each(pass, marked, store.mark);
  const dueAmount = await amountOf(pass, due);
  if (!dryRun) {
    await each(pass, due, async (entry) => {
      await store.discard({ ...entry, seconds: now });
      await store.unmark(entry);
    });
  }
  const removed = await amountOf(pass, purge);
  await each(pass, purge, store.purge);
  const gone = new Set([...restore, ...purge]);
  const inTrash = await amountOf(
    pass,
    trash.filter((entry) => !gone.has(entry)),
  );
  return collectionReport({
    restored,
    removed,
    waiting: await amountOf(pass, [...waiting, ...marked]),
    due: dryRun ? dueAmount : nothing,
    trash: dryRun ? inTrash : addAmounts(inTrash, dueAmount),
  });
}

function collectionReport(known: Partial<CollectionReport>): CollectionReport {
  return {
    outcome: 'done',
    waiting: nothing,
    due: nothing,
    trash: nothing,
    removed: nothing,
    restored: nothing,
    ...known,
  };
}

async function amountOf(pass: CollectionPass, entries: readonly AgedArtifact[]): Promise<Amount> {
  let bytes = 0;
  await each(pass, entries, async ({ digest }) => {
    const size = await pass.store.sizeOf(digest);
    bytes += size;
  });
  return { count: entries.length, bytes };
}

function addAmounts(left: Amount, right: Amount): Amount {
  return { count: left.count + right.count, bytes: left.bytes + right.bytes };
}

async function each<T>(
  { signal }: CollectionPass,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  async function take(): Promise<void> {
    for (const item of rest) {
      signal.throwIfAborted();
      await work(item);
    }
  }
  await Promise.all(Array.from({ length: atATime }, take));
}
