// Measures the memory of an informer during a relist, besides its cache. The pages are generated here, so that only the informer
// is measured; garbage is collected before each measurement, so that only referenced memory counts.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KindRef, KubeList, KubeObject, ListOptions } from '../src/kube/api.ts';
import type { StreamingClient } from '../src/kube/client.ts';
import { createInformer } from '../src/kube/informer/informer.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

export interface Relist {
  /** Size of the cache. */
  readonly bytes: number;
  /** Peak memory when a page was requested, relative to the cache: 1 is the cache alone. */
  readonly ratio: number;
}

/** Lists objects of 1.5 KB twice, the second time with all of them cached and unchanged. */
export async function relist(objects: number): Promise<Relist> {
  const empty = heapBytes();
  let max = 0;
  const second = Promise.withResolvers<void>();
  let lists = 0;
  const client = {
    list(_kind: KindRef, options: ListOptions = {}) {
      const from = Number(options.continue ?? 0);
      if (from === 0) lists += 1;
      if (lists === 2) max = Math.max(max, heapBytes());
      if (lists === 3) second.resolve();
      return Promise.resolve(JSON.parse(page(from, options.limit ?? objects, objects)));
    },
    // Ends at once, so that the next list follows.
    watch: () => Promise.resolve([]),
  } as unknown as StreamingClient;
  const informer = createInformer({
    client,
    kind: { group: 'fairlead.dev', version: 'v1', kind: 'Note', plural: 'notes', namespaced: true },
    log: silentLog,
    clock: systemClock,
    random: Math.random,
    backoffMs: 1,
    relistMs: 0,
  });
  await informer.start();
  const bytes = heapBytes() - empty;
  await second.promise;
  await informer.stop();
  return { bytes, ratio: (max - empty) / bytes };
}

/** As the API server answers, with `managedFields`. */
function page(from: number, limit: number, all: number): string {
  const end = Math.min(all, from + limit);
  const items = Array.from({ length: end - from }, (_, at) => note(from + at));
  const list: KubeList<KubeObject> = { items, resourceVersion: '1', characters: 2_500 * limit };
  return JSON.stringify(end < all ? { ...list, continue: String(end) } : list);
}

function note(index: number): KubeObject {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f:field-${at}`, {}]));
  const metadata = {
    name: `note-${index}`,
    namespace: 'fl-acme-0123456789ab',
    uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
    resourceVersion: '1',
    managedFields: [{ manager: 'fairlead', operation: 'Update', fieldsV1: { 'f:spec': fields } }],
  };
  const note = { metadata, spec: { text: String(index).padEnd(1_500, 'x') } };
  return note;
}
