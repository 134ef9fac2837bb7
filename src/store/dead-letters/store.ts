// The store of dead letters: written by the reconciler, read and decided on by people. An organization sees those in its
// namespace. Lists and every write ask the API server; groups, counts and progress come from an index, and the check whether a dead
// letter is superseded uses the cache of resources.

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Resource } from '../../crds/resource.ts';
import { eventIdPattern } from '../../domain/dead-letter.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import { logExcerpt } from '../../domain/log-excerpt.ts';
import { allow, type Informer, type KubeClient, keyFor, type ScopedRules } from '../../kube/api.ts';
import { hasReason, unlessExists } from '../../kube/errors.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import { type JsonObject, jsonBytes } from '../../lib/json.ts';
import { clean, truncate } from '../../lib/text.ts';
import { inTimeSlices } from '../../lib/turns.ts';
import { annotation, configMapKind, kinds } from '../kinds.ts';
import { type PageOf, type PageOptions, readAllPages, readPage } from '../listing.ts';
import { forEachConcurrently, smallWrites } from '../parallel.ts';
import { annotate, maxRounds, read } from '../put.ts';
import { failedEventId, isDismissed, requeueAsked } from '../resources/state.ts';
import {
  type CauseRecord,
  type CountedCause,
  createCauseCounter,
  type DeadLetterRecord,
} from './causes.ts';
import type { IndexedDeadLetter } from './indexed.ts';
import {
  type DeadLetter,
  type DeadLetterObject,
  fromConfigMap,
  type StoredDeadLetter,
  toConfigMap,
} from './object.ts';
import { deadLetterListing, deadLettersIn } from './pages.ts';
import { type RedriveProgress, redriveProgress } from './redrive-progress.ts';
import { lastRedriveResult } from './redrive-result.ts';
import {
  acceptRedrive,
  accepts,
  type DeadLetterFilter,
  type PlacedDeadLetter,
  type Redrive,
  redrivesIn,
} from './redrives.ts';
import { requeue } from './requeue.ts';
import { type SelectionDeps, selectedDeadLetters } from './selection.ts';
import { deadLetterState, freshResource } from './state.ts';

/** `npm run generate` generates roles from these. */
export const deadLetterRules = {
  cluster: [allow(['get', 'patch'], 'fairlead.dev', ['resources'])],
  tenant: [allow(['get', 'list', 'create', 'update', 'delete'], '', ['configmaps'])],
} satisfies ScopedRules;

export interface DeadLetterStore {
  /** Writes the dead letter of an event, replacing that of an earlier try. Safe to repeat after a crash. */
  write(deadLetter: DeadLetter): Promise<void>;
  list(
    organization: Organization,
    filter: DeadLetterFilter & PageOptions,
  ): Promise<PageOf<DeadLetterRecord>>;
  /** @returns everything, in pieces that are read on demand */
  listAll(
    organization: Organization,
    filter: DeadLetterFilter,
  ): AsyncIterable<readonly DeadLetterRecord[]>;
  /** @throws FairleadError `dead_letter_not_found` */
  get(organization: Organization, eventId: string): Promise<DeadLetterRecord>;
  /** Groups failures by cause, the most frequent first. From the index, like the next two. */
  causes(organization: Organization, filter: DeadLetterFilter): Promise<readonly CauseRecord[]>;
  /**
   * Restarts the event and deletes its dead letter.
   * @returns the deleted dead letter
   * @throws FairleadError `dead_letter_not_found` | `dead_letter_superseded`
   */
  retry(organization: Organization, eventId: string): Promise<DeadLetterRecord>;
  /**
   * Makes the leader resend every present dead letter, a canary of each cause first.
   * @returns how many are newly accepted: those that a running redrive already resends are excluded
   */
  retryAll(organization: Organization, filter: RetryAll): Promise<number>;
  /** Returns the progress of the running redrives, or the result of the last one. */
  redrive(organization: Organization): Promise<RedriveProgress>;
  /** Also succeeds when there is none. Deletes nothing but a dead letter, and dismisses the failure that it explains. */
  remove(organization: Organization, eventId: string): Promise<void>;
  /** @returns the number of deleted dead letters */
  removeAll(organization: Organization, filter: DeadLetterFilter): Promise<number>;
}

export function createDeadLetterStore(deps: DeadLetterDeps): DeadLetterStore {
  const { client } = deps;
  const withExamples = createExampleMessages((organization, id) =>
    readDeadLetter(client, organization, id),
  );
  const present = (deadLetter: StoredDeadLetter) => deadLetterRecord(deps, deadLetter);
  return {
    write: (deadLetter) => storeDeadLetter(client, boundedDeadLetter(deadLetter)),
    list: (organization, { limit, cursor, ...filter }) =>
      readPage(deadLetterListing(client, organization, { filter, present }), { limit, cursor }),
    listAll: (organization, filter) =>
      readAllPages(deadLetterListing(client, organization, { filter, present })),
    get: async (organization, eventId) =>
      deadLetterRecord(deps, await findDeadLetter(client, organization, eventId)),
    causes: async (organization, filter) =>
      withExamples(organization, await causes(deps, organization, filter)),
    retry: (organization, eventId) => retryDeadLetter(client, organization, eventId),
    retryAll: (organization, filter) => retryAll(deps, organization, filter),
    redrive: (organization) => progress(deps, organization),
    remove: async (organization, eventId) => {
      const deadLetter = await readDeadLetter(client, organization, eventId);
      if (deadLetter !== undefined) await dismissAndTake(client, deadLetter);
    },
    removeAll: (organization, filter) => removeAll(client, organization, filter),
  };
}

async function storeDeadLetter(client: KubeClient, deadLetter: DeadLetter): Promise<void> {
  const object = toConfigMap(deadLetter);
  if (await unlessExists(() => client.create<DeadLetterObject>(configMapKind, object))) return;
  const ref = { namespace: deadLetter.resource.namespace, name: deadLetter.eventId };
  const earlier = await read<DeadLetterObject>(client, configMapKind, ref);
  const { uid } = earlier?.metadata ?? {};
  // The uid protects a dead letter that was written after this look.
  if (uid !== undefined) await client.delete(configMapKind, ref, { uid });
  await client.create<DeadLetterObject>(configMapKind, object);
}

const maxErrorLength = 4_096;
const maxIdLength = 64;
const payloadLimit = 16 * 1_024;

function boundedDeadLetter(deadLetter: DeadLetter): DeadLetter {
  const errorMessage = clean(deadLetter.errorMessage, maxErrorLength);
  const log = logExcerpt(deadLetter.log);
  return { ...deadLetter, errorMessage, log, payload: boundedPayload(deadLetter.payload) };
}

function boundedPayload(payload: JsonObject): JsonObject {
  if (jsonBytes(payload) <= payloadLimit) return payload;
  const smaller = { ...payload, config: null, omitted: ['config'] };
  return jsonBytes(smaller) <= payloadLimit
    ? smaller
    : { omitted: Object.keys(payload).slice(0, 20) };
}

function deadLetterRecord(
  { resources }: Pick<DeadLetterDeps, 'resources'>,
  deadLetter: StoredDeadLetter,
): DeadLetterRecord {
  const resource = resources.get(keyFor(deadLetter.resource));
  return { ...deadLetter, superseded: deadLetterState(deadLetter, resource) === 'superseded' };
}

/** @returns undefined for anything but a dead letter of this organization */
async function readDeadLetter(
  client: KubeClient,
  { namespace }: Organization,
  eventId: string,
): Promise<StoredDeadLetter | undefined> {
  if (!eventIdPattern.test(eventId)) return undefined;
  const found = await read<DeadLetterObject>(client, configMapKind, { namespace, name: eventId });
  return found && fromConfigMap(found);
}

async function findDeadLetter(
  client: KubeClient,
  organization: Organization,
  eventId: string,
): Promise<StoredDeadLetter> {
  const found = await readDeadLetter(client, organization, eventId);
  if (found !== undefined) return found;
  throw deadLetterNotFound(eventId);
}

function deadLetterNotFound(eventId: string): FairleadError {
  const id = truncate(eventId, maxIdLength);
  return new FairleadError('dead_letter_not_found', `Dead letter not found: ${id}`);
}

async function retryDeadLetter(
  client: KubeClient,
  organization: Organization,
  eventId: string,
): Promise<DeadLetterRecord> {
  const deadLetter = await findDeadLetter(client, organization, eventId);
  const outcome = await requeue(client, deadLetter);
  if (outcome === 'requeued') return { ...deadLetter, superseded: false };
  // The loser of a race finds the event running already, and a dead letter about to be deleted.
  if (outcome === 'superseded') {
    await findDeadLetter(client, organization, eventId);
    const message =
      'The dead letter is superseded: its resource was applied again or deleted, or the event succeeded; there is nothing to retry';
    throw new FairleadError('dead_letter_superseded', message);
  }
  throw deadLetterNotFound(eventId);
}

async function causes(
  deps: DeadLetterDeps,
  organization: Organization,
  filter: DeadLetterFilter,
): Promise<readonly CountedCause[]> {
  const counter = createCauseCounter();
  await inTimeSlices(await selectedDeadLetters(deps, organization, filter), (deadLetter) => {
    const state = deadLetterState(deadLetter, deps.resources.get(deadLetter.resource));
    counter.add(deadLetter, state === 'superseded');
  });
  return counter.causes();
}

async function progress(
  deps: DeadLetterDeps,
  organization: Organization,
): Promise<RedriveProgress> {
  const { client, resources } = deps;
  const { namespace } = organization;
  // In this order: a redrive that ends meanwhile has stored its result before it is gone.
  const running = await redrivesIn(client, namespace);
  const result = running.length > 0 ? undefined : await lastRedriveResult(client, namespace);
  const deadLetters: PlacedDeadLetter[] = [];
  if (running.length > 0 || (result !== undefined && result.held.length > 0)) {
    await inTimeSlices(await selectedDeadLetters(deps, organization), (deadLetter) => {
      const state = deadLetterState(deadLetter, resources.get(deadLetter.resource));
      if (state !== 'superseded') deadLetters.push(deadLetter);
    });
  }
  return redriveProgress({ running, result, deadLetters });
}

async function removeAll(
  client: KubeClient,
  organization: Organization,
  filter: DeadLetterFilter,
): Promise<number> {
  const deadLetters: NamedDeadLetter[] = [];
  for await (const deadLetter of deadLettersIn(client, organization, filter)) {
    const { eventId, uid, resource } = deadLetter;
    deadLetters.push({ eventId, uid, resource });
  }
  let deleted = 0;
  await forEachConcurrently(deadLetters, smallWrites, async (deadLetter) => {
    if (await dismissAndTake(client, deadLetter)) deleted += 1;
  });
  return deleted;
}

// Adds to each cause the message of its earliest failure: the index has only what the messages have in common. A dead letter never
// changes, so each is read once, and not for every client that polls.

type ExampleMessages = (
  organization: Organization,
  causes: readonly CountedCause[],
) => Promise<readonly CauseRecord[]>;

/** The most frequent causes only: the others are a page that nobody reads. */
const maxCauses = 100;
const atOnce = 8;
const maxCached = 2_000;

/** @param read returns undefined for a dead letter that is gone */
function createExampleMessages(
  read: (organization: Organization, eventId: string) => Promise<StoredDeadLetter | undefined>,
): ExampleMessages {
  const known = new LRUCache<string, string>({ max: maxCached });

  return async (organization, causes) => {
    const messages = new Map<CountedCause, string>();
    await forEachConcurrently(causes.slice(0, maxCauses), atOnce, async (cause) => {
      if (cause.oldest === undefined) return;
      const { eventId, createdVersion } = cause.oldest;
      // An event that failed again has another dead letter.
      const key = `${organization.namespace}/${eventId}/${createdVersion}`;
      const message = known.get(key) ?? (await read(organization, eventId))?.errorMessage;
      if (message === undefined) return;
      known.set(key, message);
      messages.set(cause, message);
    });
    return causes.map((cause) => ({ ...cause, exampleMessage: messages.get(cause) }));
  };
}

// Dismisses a failure: the deletion of the dead letter of a failed resource is recorded on the resource before the dead letter is
// deleted. After a crash between the two writes the dead letter can still be deleted or retried.

const statusLagMs = 250;
const maxLags = 4;

/** Without its content: there may be thousands. */
type NamedDeadLetter = Pick<StoredDeadLetter, 'eventId' | 'uid' | 'resource'>;

/** @returns whether it existed; a newer dead letter of the same event stays */
async function dismissAndTake(client: KubeClient, deadLetter: NamedDeadLetter): Promise<boolean> {
  await dismiss(client, deadLetter);
  const { eventId, uid, resource } = deadLetter;
  const ref = { namespace: resource.namespace, name: eventId };
  try {
    return await client.delete(configMapKind, ref, { uid });
  } catch (thrown) {
    if (hasReason(thrown, 'conflict')) return false;
    throw thrown;
  }
}

/** @throws FairleadError `conflict` when the resource keeps changing */
async function dismiss(client: KubeClient, deadLetter: NamedDeadLetter): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const resource = await settledResource(client, deadLetter);
    if (resource === undefined || deadLetterState(deadLetter, resource) !== 'live') return;
    if (isDismissed(resource)) return;
    const mark = { [annotation.dismissed]: failedEventId(resource) ?? null };
    if ((await annotate(client, kinds.resource, resource, mark)) !== undefined) return;
  }
  const message = 'Another client changes the resource at the same time; try again';
  throw new FairleadError('conflict', message);
}

/** The dead letter is written first: the status `failed` follows a moment later. Does not wait for an event that runs again. */
async function settledResource(
  client: KubeClient,
  deadLetter: NamedDeadLetter,
): Promise<Resource | undefined> {
  for (let lags = 0; ; lags += 1) {
    const resource = await freshResource(client, deadLetter);
    const isBehind = deadLetterState(deadLetter, resource) === 'underWay' && !isRequeued(resource);
    if (!isBehind || lags === maxLags) return resource;
    await pause(statusLagMs);
  }
}

function isRequeued(resource: Resource | undefined): boolean {
  return resource !== undefined && requeueAsked(resource) !== undefined;
}

// "Retry all": makes the leader resend every present dead letter. The redrive that is written selects them by the resourceVersion
// of the newest; only their number comes from the index. Each dead letter is counted by one request only.

interface DeadLetterDeps extends SelectionDeps {
  readonly client: KubeClient;
  readonly resources: Pick<Informer<Resource>, 'get'>;
}

interface RetryAll extends DeadLetterFilter {
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

/**
 * @returns how many dead letters are newly accepted: those that a running redrive already resends are excluded
 */
async function retryAll(
  deps: DeadLetterDeps,
  organization: Organization,
  { provider, cause, dryRun = false }: RetryAll,
): Promise<number> {
  const { client, resources } = deps;
  const { namespace } = organization;
  let untilVersion = '';
  const live: IndexedDeadLetter[] = [];
  // First: it is a consistent read, and meanwhile the index receives what was written before the request.
  const underWay = await redrivesIn(client, namespace);
  const present = await selectedDeadLetters(deps, organization, { provider, cause });
  await inTimeSlices(present, (deadLetter) => {
    const { createdVersion } = deadLetter;
    if (isNewer(createdVersion, untilVersion)) untilVersion = createdVersion;
    const state = deadLetterState(deadLetter, resources.get(deadLetter.resource));
    if (state !== 'superseded') live.push(deadLetter);
  });
  const newlyAccepted = (replaced: Redrive | undefined) => {
    const earlier = mergedWith(underWay, replaced);
    return live.filter((each) => !earlier.some((redrive) => accepts(redrive, each))).length;
  };
  if (present.length === 0) return 0;
  if (dryRun) return newlyAccepted(undefined);
  // Superseded ones are included, so that one that only this replica's cache takes for superseded is not lost.
  const asked = { provider, cause, untilVersion };
  return newlyAccepted(await acceptRedrive(client, namespace, asked, newlyAccepted));
}

/** An overwritten redrive counts as it was then; one that ended since the first look had accepted its dead letters, too. */
function mergedWith(
  underWay: readonly Redrive[],
  replaced: Redrive | undefined,
): readonly Redrive[] {
  if (replaced === undefined) return underWay;
  const isOther = ({ provider, cause }: Redrive) =>
    provider !== replaced.provider || cause !== replaced.cause;
  return [...underWay.filter(isOther), replaced];
}
