// Runs one watch from one resourceVersion until it ends: bytes → lines → events. It returns how the watch ended.
import { inOwnTurn } from '../../lib/turns.ts';
import type { KindRef, KubeObject } from '../api.ts';
import type { StreamingClient } from '../client.ts';
import { hasReason, KubeError } from '../errors.ts';
import type { PageSelector } from './pages.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** `resume`: continue from the last version. `relist`: the received data is untrusted or too old. */
export interface WatchEnd {
  readonly next: 'resume' | 'relist';
  /** True when the API server ended it in order, so that the next one may start at once. */
  readonly orderly: boolean;
  readonly error?: KubeError;
}

interface WatchOptions {
  readonly kind: KindRef;
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly selector?: PageSelector;
  readonly resourceVersion: string;
  /** After this long without a byte the connection counts as dead: half-open ones report nothing. */
  readonly inactivityMs: number;
  /** When the server ends the watch by itself. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

interface WatchHandlers<T> {
  /** The API server has responded, and events may follow. */
  onOpen(): void;
  onEvent(event: WatchEvent<T>): void;
}

export async function watch<T extends KubeObject>(
  client: Pick<StreamingClient, 'watch'>,
  { kind, namespace, selector = {}, resourceVersion, ...options }: WatchOptions,
  handlers: WatchHandlers<T>,
): Promise<WatchEnd> {
  const { inactivityMs, timeoutSeconds, signal } = options;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), inactivityMs);
  const query = {
    resourceVersion,
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(timeoutSeconds),
    ...selector,
  };
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const body = await client.watch(kind, { namespace, query }, either);
    handlers.onOpen();
    return await readWatch(
      bodyLines(body, () => timer.refresh()),
      handlers,
    );
  } catch (thrown) {
    // Silence is no server fault: the watch of a quiet kind ends like this and resumes at its version.
    if (silence.signal.aborted && !signal.aborted) return { next: 'resume', orderly: true };
    return endAfter(thrown);
  } finally {
    clearTimeout(timer);
  }
}

async function readWatch<T extends KubeObject>(
  received: AsyncIterable<string>,
  handlers: WatchHandlers<T>,
): Promise<WatchEnd> {
  for await (const line of received) {
    const event = await inOwnTurn(line, parseLine<T>);
    if (event === undefined) return endAfter(malformed('A watch line is not a valid event'));
    if (event.type === 'ERROR') return { next: 'relist', orderly: event.gone };
    handlers.onEvent(event);
  }
  return { next: 'resume', orderly: true };
}

function endAfter(thrown: unknown): WatchEnd {
  if (hasReason(thrown, 'gone')) return { next: 'relist', orderly: true };
  // An unreadable event would be sent again from the same version.
  const next = hasReason(thrown, 'malformed') ? 'relist' : 'resume';
  return { next, orderly: false, ...(thrown instanceof KubeError && { error: thrown }) };
}

function malformed(message: string): KubeError {
  return new KubeError({ reason: 'malformed', message });
}

const newline = 0x0a;
// The largest object is 1.5 MiB in etcd; twice that with escapes is generous.
const maxLineBytes = 8 * 1_024 * 1_024;

async function* bodyLines(
  body: AsyncIterable<Buffer>,
  onBytes: () => void,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const chunk of body) {
    onBytes();
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString();
      parts = [];
      held = 0;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) parts.push(rest);
    held += rest.length;
    if (held > maxLineBytes) throw malformed('A watch line is too long');
  }
  // A line without an end was cut off; it must not count as a clean end.
  if (held > 0) yield Buffer.concat(parts).toString();
}

interface ErrorEvent {
  readonly type: 'ERROR';
  readonly gone: boolean;
}

interface RawEvent {
  readonly type?: string;
  readonly object?: { metadata?: { resourceVersion?: string; name?: string }; code?: number };
}

/** @returns undefined for a garbled or truncated line */
function parseLine<T>(line: string): WatchEvent<T> | ErrorEvent | undefined {
  const { type, object } = parseObject(line);
  if (type === 'ERROR') return { type, gone: object?.code === 410 };
  const resourceVersion = object?.metadata?.resourceVersion;
  if (resourceVersion === undefined) return undefined;
  if (type === 'BOOKMARK') return { type, resourceVersion };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return undefined;
  return object?.metadata?.name === undefined ? undefined : { type, object: object as T };
}

function parseObject(line: string): RawEvent {
  try {
    // `null` is JSON too.
    return (JSON.parse(line) as RawEvent | null) ?? {};
  } catch {
    return {};
  }
}
