// Reads everything for a decision about a redrive from the caches. Only a silent canary is read from the API server.
import type { Resource } from '../../crds/resource.ts';
import { type Informer, type Key, type KubeClient, keyFor, refOf } from '../../kube/api.ts';
import type { DeadLetterObject, StoredDeadLetter } from '../../store/dead-letters/object.ts';
import {
  type Cause,
  causeKeyOf,
  isBeforeCutOff,
  type Redrive,
  type RedriveObject,
  readRedrive,
  selects,
} from '../../store/dead-letters/redrives.ts';
import type { DeadLetterState } from '../../store/dead-letters/state.ts';
import { configMapKind, kinds } from '../../store/kinds.ts';
import { read } from '../../store/put.ts';
import { contentHashOf } from '../../store/resources/content.ts';
import {
  hasFailed,
  isBetweenObjects,
  isDeletionEvent,
  isRefused,
  requeueAsked,
} from '../../store/resources/state.ts';
import type { DeadLetterReader } from '../dead-letters/reader.ts';
import type { CanaryOutcome, CauseView, Situation } from './decide.ts';
import type { Remembered, SentDeadLetter } from './memory.ts';

export interface Observed extends Omit<Situation, 'budget'> {
  readonly object: RedriveObject;
  readonly redrive: Redrive;
}

export interface ObserveDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly redrives: Pick<Informer<RedriveObject>, 'get'>;
  readonly deadLetters: Pick<Informer<DeadLetterObject>, 'get' | 'items'>;
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly reader: DeadLetterReader;
}

/** How long caches may not show a sent event; a dead letter that still exists later was never processed. */
export const sentShowsMs = 30_000;

/** @returns undefined when the redrive is gone or unusable */
export async function observe(
  key: Key,
  deps: ObserveDeps,
  { remembered, now }: { remembered: Remembered; now: number },
): Promise<Observed | undefined> {
  const object = deps.redrives.get(key);
  const redrive = object && readRedrive(object);
  if (object === undefined || redrive === undefined) return undefined;
  const { namespace = '' } = refOf(key);
  // First, because it yields: the input of a decision must be of one moment.
  await deps.reader.readAhead(deps.deadLetters.items(namespace));
  const sorted = sortDeadLetters(namespace, redrive, { deps, remembered, now });
  const canaryOutcomes = await canaryOutcomesOf(namespace, redrive, { deps, sorted });
  const keys = new Set([...Object.keys(redrive.causes), ...sorted.groups.keys()]);
  const causes = [...keys].map((cause): CauseView => {
    const { live = [], underWay = 0 } = sorted.groups.get(cause) ?? {};
    return {
      key: cause,
      recorded: redrive.causes[cause],
      live: [...live].sort((left, right) => left.failedAt.getTime() - right.failedAt.getTime()),
      underWay,
      canaryOutcome: canaryOutcomes.get(cause),
      failedSince: sorted.failedSince.get(cause) ?? 0,
      batchSucceeded: lastEnding(remembered.batches.get(cause) ?? [], sorted, deps),
    };
  });
  return { object, redrive, causes, superseded: sorted.superseded };
}

interface Sorted {
  readonly groups: Map<string, { readonly live: StoredDeadLetter[]; underWay: number }>;
  readonly superseded: StoredDeadLetter[];
  /** Dead letters of the redrive by event id. */
  readonly states: Map<string, DeadLetterState>;
  /** Events with a dead letter that was created after the cut-off. */
  readonly failedAgain: Set<string>;
  readonly failedSince: Map<string, number>;
}

function sortDeadLetters(
  namespace: string,
  redrive: Redrive,
  { deps, remembered, now }: { deps: ObserveDeps; remembered: Remembered; now: number },
): Sorted {
  const sorted: Sorted = {
    groups: new Map(),
    superseded: [],
    states: new Map(),
    failedAgain: new Set(),
    failedSince: new Map(),
  };
  for (const object of deps.deadLetters.items(namespace)) {
    const deadLetter = deps.reader.read(object);
    if (deadLetter === undefined) continue;
    if (!selects(redrive, deadLetter)) continue;
    if (!isBeforeCutOff(redrive, deadLetter)) {
      sortLater(deadLetter, sorted);
      continue;
    }
    const wasSent =
      now - (remembered.sent.get(deadLetter.uid) ?? Number.NEGATIVE_INFINITY) < sentShowsMs;
    const resource = deps.resources.get(keyFor(deadLetter.resource));
    const state = deps.reader.state(deadLetter, resource);
    sortEarlier(deadLetter, wasSent && state === 'live' ? 'underWay' : state, sorted);
  }
  return sorted;
}

function sortLater(deadLetter: StoredDeadLetter, { failedAgain, failedSince }: Sorted): void {
  const cause = causeKeyOf(deadLetter);
  failedAgain.add(deadLetter.eventId);
  failedSince.set(cause, (failedSince.get(cause) ?? 0) + 1);
}

function sortEarlier(deadLetter: StoredDeadLetter, state: DeadLetterState, sorted: Sorted): void {
  const { groups, superseded, states } = sorted;
  states.set(deadLetter.eventId, state);
  if (state === 'superseded') {
    superseded.push(deadLetter);
    return;
  }
  const cause = causeKeyOf(deadLetter);
  const group = groups.get(cause) ?? { live: [], underWay: 0 };
  groups.set(cause, group);
  if (state === 'live') group.live.push(deadLetter);
  else group.underWay += 1;
}

async function canaryOutcomesOf(
  namespace: string,
  { causes }: Redrive,
  { deps, sorted }: { deps: ObserveDeps; sorted: Sorted },
): Promise<ReadonlyMap<string, CanaryOutcome>> {
  const trying = Object.entries(causes).filter(([, { state }]) => state === 'trying');
  const canaryOutcomes = new Map<string, CanaryOutcome>();
  if (trying.length === 0) return canaryOutcomes;
  const resources = byEvent(deps.resources.items(namespace));
  for (const [key, cause] of trying) {
    const canaryOutcome = canaryOutcomeOf(cause, resources.get(cause.canary), sorted);
    canaryOutcomes.set(
      key,
      canaryOutcome === 'silent' ? await askAfter(cause, resources, deps) : canaryOutcome,
    );
  }
  return canaryOutcomes;
}

function byEvent(resources: Iterable<Resource>): ReadonlyMap<string, Resource> {
  const found = new Map<string, Resource>();
  for (const resource of resources) {
    const id = resource.status?.event?.id;
    if (id !== undefined) found.set(id, resource);
  }
  return found;
}

/** @returns `silent` when the caches show a failure without a dead letter: one of them lags, or it was deleted */
export function canaryOutcomeOf(
  { canary, type }: Cause,
  resource: Resource | undefined,
  { failedAgain, states }: Pick<Sorted, 'failedAgain' | 'states'>,
): CanaryOutcome | 'silent' {
  if (failedAgain.has(canary)) return 'failed';
  const state = states.get(canary);
  if (state === 'live') return 'missed';
  if (resource === undefined) return type === 'DELETE' ? 'succeeded' : 'void';
  if (wentOn(resource)) return 'void';
  if (resource.status?.state === 'ready') return 'succeeded';
  const isSilent = state === undefined && isLeftFailed(resource);
  return isSilent ? 'silent' : 'pending';
}

/** Returns whether the spec of the resource has changed since, or nothing was sent because of it. */
function wentOn(resource: Resource): boolean {
  const { metadata, spec, status } = resource;
  if (isDeletionEvent(status?.event)) return false;
  const isCurrent = status?.content === contentHashOf(spec) && !isRefused(resource);
  return metadata.deletionTimestamp !== undefined || !isCurrent;
}

function isLeftFailed(resource: Resource): boolean {
  return hasFailed(resource) && requeueAsked(resource) === undefined;
}

async function askAfter(
  { canary }: Cause,
  cached: ReadonlyMap<string, Resource>,
  { client }: ObserveDeps,
): Promise<CanaryOutcome> {
  const { name = '', namespace } = cached.get(canary)?.metadata ?? {};
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  // In this order: the dead letter is written before the failure, so every visible failure had one.
  const resource = await read<Resource>(client, kinds.resource, ref);
  const isFailed = resource?.status?.event?.id === canary && isLeftFailed(resource);
  if (!isFailed) return 'pending';
  const deadLetter = await read<DeadLetterObject>(client, configMapKind, { ...ref, name: canary });
  return deadLetter === undefined ? 'void' : 'pending';
}

/** @returns whether anything succeeded in the newest batch with any known end */
function lastEnding(
  batches: readonly (readonly SentDeadLetter[])[],
  { failedAgain }: Sorted,
  { resources }: ObserveDeps,
): boolean | undefined {
  for (const batch of batches) {
    const succeeded = batch.some((sent) => hasSucceeded(sent, resources.get(sent.resource)));
    if (succeeded) return true;
    if (batch.some(({ eventId }) => failedAgain.has(eventId))) return false;
  }
  return undefined;
}

/** @param resource of the sent event, as the cache has it now */
export function hasSucceeded(
  { eventId, type }: Pick<SentDeadLetter, 'eventId' | 'type'>,
  resource: Resource | undefined,
): boolean {
  if (resource === undefined) return type === 'DELETE';
  const { event, state } = resource.status ?? {};
  // The CREATE of a replacement follows the success of its DELETE, at once or later.
  if (type === 'DELETE') {
    const isCreated = event?.type === 'CREATE' && event.replacement !== undefined;
    return isCreated || isBetweenObjects(resource.status ?? {});
  }
  return event?.id === eventId && state === 'ready';
}
