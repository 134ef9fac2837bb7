// Keeps an organization busy: applies, deletes and reads of a few resources at a time, a provider that fails in every way, dead
// letters that are retried, watches that are opened and closed.
import { setTimeout as pause } from 'node:timers/promises';
import { outputsFor, type Script } from '../../test/support/faults/history/provider.ts';
import type { RecordedClient } from '../../test/support/faults/history/recorder.ts';
import type { Replica } from '../../test/support/servers/replica.ts';

const workers = 3;
const pauseMs = 250;
const namesAtATime = 5;
/** Then a worker deletes its resources and goes on with others: the checker compares every read of a name with every write. */
const actsPerName = 12;
const deletionTries = 40;
const streams = 6;
const streamMs = { least: 5_000, most: 30_000 };

/** Of 100 deliveries, so many: the rest succeeds. */
const failures = { unavailable: 8, terminal: 3, broken: 2, hanging: 1, later: 4 };

export interface Busy {
  readonly token: string;
  client(replica: Pick<Replica, 'url'>): RecordedClient;
}

export interface Churned {
  readonly applies: number;
  readonly deletions: number;
  readonly retries: number;
  readonly streams: number;
}

export const unreliable: Script = (event) => {
  const outputs = outputsFor(event);
  let dice = Math.random() * 100;
  const isNext = (share: number) => {
    dice -= share;
    return dice < 0;
  };
  if (isNext(failures.unavailable)) return broken(503, 'BUSY');
  if (isNext(failures.broken)) return 'die';
  if (isNext(failures.hanging)) return 'hang';
  // Deletions that nobody repeats would pile up.
  if (event.event_type !== 'DELETE' && isNext(failures.terminal)) return broken(422, 'WRONG');
  if (isNext(failures.later)) return { status: 200, body: { outputs }, afterMs: 500 };
  return { status: 200, body: { outputs } };
};

function broken(status: number, code: string) {
  return { status, body: { error: { code, message: `answered ${status} on purpose` } } };
}

/** Ends with the signal, and leaves resources behind, settled or not. */
export async function churn(
  busy: Busy,
  replicas: readonly Replica[],
  signal: AbortSignal,
): Promise<Churned> {
  const counts = { applies: 0, deletions: 0, retries: 0, streams: 0 };
  const any = () => replicas[Math.floor(Math.random() * replicas.length)] as Replica;
  const context = { busy, any, signal, counts };
  await Promise.all([
    ...Array.from({ length: workers }, (_, worker) => work(worker, context)),
    ...Array.from({ length: streams }, () => follow(context)),
    retry(context),
  ]);
  return counts;
}

interface Context {
  readonly busy: Busy;
  any(): Replica;
  readonly signal: AbortSignal;
  readonly counts: { applies: number; deletions: number; retries: number; streams: number };
}

async function work(worker: number, context: Context): Promise<void> {
  const { signal } = context;
  for (let batch = 0; !signal.aborted; batch += 1) {
    const names = Array.from(
      { length: namesAtATime },
      (_, index) => `box/crate/w${worker}-${batch}-${index}`,
    );
    for (let act = 0; act < actsPerName * namesAtATime && !signal.aborted; act += 1) {
      await actOn(names[act % namesAtATime] ?? '', act, context);
      await rest(pauseMs, signal);
    }
    for (const name of names) await remove(name, context);
  }
}

async function actOn(name: string, act: number, { busy, any, counts }: Context): Promise<void> {
  const client = busy.client(any());
  const dice = Math.random();
  if (dice < 0.3) {
    await client.read(name);
  } else if (dice < 0.4) {
    counts.deletions += 1;
    await client.delete(name);
  } else {
    counts.applies += 1;
    await client.apply(name, { size: act }, dice < 0.5 ? 'draft' : 'pending');
  }
}

/** Repeats until it is accepted: a resource whose event is being delivered may refuse. */
async function remove(name: string, { busy, any, signal, counts }: Context): Promise<void> {
  for (let attempt = 0; attempt < deletionTries && !signal.aborted; attempt += 1) {
    counts.deletions += 1;
    const { outcome, status } = await busy.client(any()).delete(name);
    if (outcome === 'ok' || status === 404) return;
    await rest(pauseMs, signal);
  }
}

interface Letter {
  readonly event_id: string;
  readonly provider: string;
  readonly resource_type: string;
  readonly resource_name: string;
  readonly superseded: boolean;
}

/** Now one dead letter, now all of them. */
async function retry({ busy, any, signal, counts }: Context): Promise<void> {
  for (let round = 1; !signal.aborted; round += 1) {
    await rest(20 * pauseMs, signal);
    const client = busy.client(any());
    counts.retries += 1;
    if (round % 4 === 0) {
      await client.post('/ops/dead-letter/retry-all', {});
      continue;
    }
    const { outcome, body } = await client.get('/ops/dead-letter?limit=50');
    const letters = outcome === 'ok' ? (body as readonly Letter[]) : [];
    const letter = letters.find(({ superseded }) => !superseded);
    if (letter === undefined) continue;
    const { provider, resource_type, resource_name, event_id } = letter;
    await client.retry(`${provider}/${resource_type}/${resource_name}`, event_id);
  }
}

/** Opens a watch at any replica, reads it for a while, closes it. */
async function follow({ busy, any, signal, counts }: Context): Promise<void> {
  while (!signal.aborted) {
    counts.streams += 1;
    const lasts = streamMs.least + Math.random() * (streamMs.most - streamMs.least);
    const ending = AbortSignal.any([signal, AbortSignal.timeout(Math.round(lasts))]);
    const headers = { authorization: `Bearer ${busy.token}`, accept: 'text/event-stream' };
    // It breaks when its replica is stopped.
    await fetch(`${any().url}/resources/`, { headers, signal: ending })
      .then(async ({ body }) => {
        for await (const chunk of body ?? []) void chunk;
      })
      .catch(() => undefined);
    await rest(pauseMs, signal);
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
