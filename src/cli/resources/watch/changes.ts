// Follows resources: the records that exist, then every change. It reads server-sent events, connects again after a lost connection,
// and reads once a second where no stream is open: of a resource that does not exist, or when too many are open.
import type { ListResources, ResourceRecord } from '../../../api/shapes.ts';
import { readEvents, type StreamEvent } from '../../../client/api/events.ts';
import { operationPath, queryText } from '../../../client/api/request.ts';
import type { Api } from '../../session/api/client.ts';
import { abortablePause } from '../../session/api/retry.ts';
import { type HttpAnswer, isConnectionLost } from '../../session/api/transport.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

/** One resource by its id, or those that match filters. Resources in deletion are included. */
export type WatchSelection =
  | { readonly id: string }
  | { readonly query: Omit<ListResources, 'deleting' | 'limit' | 'cursor'> };

type WatchedChange =
  | { readonly kind: 'record'; readonly record: ResourceRecord }
  | { readonly kind: 'gone'; readonly record: ResourceRecord }
  /** All that exists was reported. */
  | { readonly kind: 'synced' };

interface FollowChangesOptions {
  readonly signal: AbortSignal;
  /** Receives a sentence when the connection is lost. */
  readonly note: (text: string) => void;
}

const pollMs = 1_000;
const reconnectMs = 1_000;
/** A server that restarts is back by then. */
const maxOutageMs = 120_000;
const eventType = 'text/event-stream';

/** @throws the reason of the signal; ApiError; CliError when the server stays away */
export async function* changesOf(
  api: Api,
  selection: WatchSelection,
  options: FollowChangesOptions,
): AsyncGenerator<WatchedChange, void, void> {
  const seen = new SeenRecords();
  const position: ChangePosition = { lastEventId: undefined };
  let stream = await openStream(api, selection, { position, options });
  while (stream !== undefined) {
    yield* fromStream(stream, { seen, position, signal: options.signal });
    stream = await reopened(api, selection, { position, options });
  }
  for (;;) {
    seen.begin();
    for (const record of await presentRecords(api, selection, options.signal)) {
      if (seen.add(record)) yield { kind: 'record', record };
    }
    for (const record of seen.end()) yield { kind: 'gone', record };
    yield { kind: 'synced' };
    await abortablePause(pollMs, options.signal);
  }
}

interface ChangePosition {
  lastEventId: string | undefined;
}

interface Opening {
  readonly position: ChangePosition;
  readonly options: FollowChangesOptions;
}

/** @returns undefined when no stream is opened: the records are read again and again then */
async function openStream(
  api: Api,
  selection: WatchSelection,
  { position, options: { signal } }: Opening,
): Promise<HttpAnswer | undefined> {
  const since = position.lastEventId;
  try {
    const answer = await api.open({
      method: 'GET',
      path: selectionPath(selection),
      headers: { accept: eventType, ...(since === undefined ? {} : { 'last-event-id': since }) },
      signal,
    });
    if (answer.headers['content-type']?.startsWith(eventType) === true) return answer;
    answer.body.resume();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    // Too many streams; or one resource, which does not exist yet.
    if (thrown.status === 429 || thrown.code === 'resource_not_found') return undefined;
    throw thrown;
  }
}

function selectionPath(selection: WatchSelection): string {
  const all = { deleting: 'include' };
  if ('id' in selection) {
    return operationPath('getResource', { resource_id: selection.id }) + queryText(all);
  }
  return operationPath('listResources') + queryText({ ...selection.query, ...all });
}

async function reopened(
  api: Api,
  selection: WatchSelection,
  opening: Opening,
): Promise<HttpAnswer | undefined> {
  const { signal, note } = opening.options;
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    await abortablePause(reconnectMs, signal);
    try {
      return await openStream(api, selection, opening);
    } catch (thrown) {
      const isAway = thrown instanceof CliError && thrown.exit === ExitCode.unreachable;
      if (!isAway || performance.now() - startedAt > maxOutageMs) throw thrown;
      if (attempt === 1) note('The connection is lost; connecting again.');
    }
  }
}

async function* fromStream(
  answer: HttpAnswer,
  { seen, position, signal }: { seen: SeenRecords; position: ChangePosition; signal: AbortSignal },
): AsyncGenerator<WatchedChange, void, void> {
  if (position.lastEventId === undefined) seen.begin();
  try {
    for await (const event of readEvents(answer.body)) {
      if (event.id !== undefined) position.lastEventId = event.id === '' ? undefined : event.id;
      yield* changesOfEvent(event, seen);
      if (event.event === 'expired') return;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (!isConnectionLost(thrown)) throw thrown;
  }
}

function* changesOfEvent({ event, data }: StreamEvent, seen: SeenRecords): Iterable<WatchedChange> {
  if (event === 'upsert') {
    const record = JSON.parse(data) as ResourceRecord;
    if (seen.add(record)) yield { kind: 'record', record };
  } else if (event === 'deleted') {
    const record = seen.remove((JSON.parse(data) as { id: string }).id);
    if (record !== undefined) yield { kind: 'gone', record };
  } else if (event === 'reset') seen.begin();
  else if (event === 'synced') {
    for (const record of seen.end()) yield { kind: 'gone', record };
    yield { kind: 'synced' };
  }
}

async function presentRecords(
  api: Api,
  selection: WatchSelection,
  signal: AbortSignal,
): Promise<readonly ResourceRecord[]> {
  const deleting = 'include' as const;
  if ('query' in selection) {
    const query = { ...selection.query, deleting, limit: 1_000 };
    return await api.list('listResources', { query, signal });
  }
  try {
    const path = { resource_id: selection.id };
    return [await api.call('getResource', { path, query: { deleting }, signal })];
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'resource_not_found') return [];
    throw thrown;
  }
}

// Remembers the records of a stream, so that only changes are reported, and finds those that vanished during an interruption.

class SeenRecords {
  readonly #records = new Map<string, { readonly record: ResourceRecord; readonly text: string }>();
  /** Records that the present listing has not shown yet; undefined outside a listing. */
  #unseen: Set<string> | undefined;

  /** A complete listing begins. */
  begin(): void {
    this.#unseen = new Set(this.#records.keys());
  }

  /** @returns whether the record is new or changed */
  add(record: ResourceRecord): boolean {
    const text = JSON.stringify(record);
    this.#unseen?.delete(record.id);
    const isSame = this.#records.get(record.id)?.text === text;
    this.#records.set(record.id, { record, text });
    return !isSame;
  }

  /** @returns the last record, undefined for an unknown one */
  remove(id: string): ResourceRecord | undefined {
    const known = this.#records.get(id);
    this.#records.delete(id);
    this.#unseen?.delete(id);
    return known?.record;
  }

  /** The listing is complete. @returns the records that it did not show */
  end(): ResourceRecord[] {
    const gone = [...(this.#unseen ?? [])].flatMap((id) => this.remove(id) ?? []);
    this.#unseen = undefined;
    return gone;
  }
}
