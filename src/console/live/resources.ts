// All resources of the organization, kept up to date by one stream of changes that every page shares.
import { computed, signal } from '@preact/signals';
import type { ResourceRecord } from '../../api/shapes.ts';
import type { StreamEvent } from '../../client/api/events.ts';
import { open } from '../api/client.ts';
import { session } from '../session/session.ts';
import { eventsAfter, follow } from './stream.ts';

const records = new Map<string, ResourceRecord>();
/** Records that were received since the stream began anew; undefined when it continues. */
let renewed: Set<string> | undefined;
const changes = signal(0);
let running: AbortController | undefined;
/** Whether a page has used the resources in this session. */
let isWanted = false;

/** Whether all resources that exist were received. */
export const isSynced = signal(false);

/** The error that ends the stream, such as missing rights. */
export const resourcesError = signal<unknown>(undefined);

/** The resources, in the order in which they were received. */
export const resources = computed<readonly ResourceRecord[]>(() => {
  void changes.value;
  return [...records.values()];
});

/** @returns the resource with an id; undefined when it does not exist. Reading it follows its changes. */
export function liveResource(id: string): ResourceRecord | undefined {
  void changes.value;
  return records.get(id);
}

/** Opens the stream unless it is open. It stays open while the session lasts. */
export function followResources(): void {
  isWanted = true;
  if (running !== undefined) return;
  const controller = new AbortController();
  running = controller;
  resourcesError.value = undefined;
  const { signal } = controller;
  follow({
    name: 'resources',
    signal,
    open: (lastEventId, signal) => {
      if (lastEventId === undefined) renewed = new Set();
      const headers = eventsAfter(lastEventId);
      return open('listResources', { query: { deleting: 'include' }, headers, signal });
    },
    received,
  })
    .catch((error: unknown) => {
      resourcesError.value = error;
    })
    .finally(() => {
      if (running === controller) running = undefined;
    });
}

/** Closes the stream and forgets what it showed, as the next session may be of another organization. */
function forgetResources(): void {
  running?.abort();
  running = undefined;
  isWanted = false;
  records.clear();
  isSynced.value = false;
  scheduleChange();
}

function received({ event, data }: StreamEvent): void {
  if (event === 'upsert') {
    const record = JSON.parse(data) as ResourceRecord;
    records.set(record.id, record);
    renewed?.add(record.id);
  } else if (event === 'deleted') {
    records.delete((JSON.parse(data) as { id: string }).id);
  } else if (event === 'reset') {
    renewed = new Set();
  } else if (event === 'synced') {
    synced();
  }
  scheduleChange();
}

/** A resource that a new stream did not repeat no longer exists. */
function synced(): void {
  const seen = renewed;
  renewed = undefined;
  if (seen !== undefined) {
    for (const id of records.keys()) if (!seen.has(id)) records.delete(id);
  }
  isSynced.value = true;
}

/** Long enough that thousands of events at the start are few changes, and short enough to seem immediate. */
const collectMs = 50;
let isChanging = false;

/** One change of the signal for all events of a moment. A timer, as a hidden page has no frames. */
function scheduleChange(): void {
  if (isChanging) return;
  isChanging = true;
  setTimeout(() => {
    isChanging = false;
    changes.value += 1;
  }, collectMs);
}

session.subscribe(({ kind }) => {
  if (kind === 'signed-out') forgetResources();
  // After the command line has signed in again, the pages are still there.
  if (kind === 'signed-in' && isWanted) followResources();
  if (kind === 'ended') {
    running?.abort();
    running = undefined;
  }
});
