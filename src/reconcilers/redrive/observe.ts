// Everything a decision about a redrive needs, from the caches. Only a canary of which nothing is heard is asked for.
import type { Resource } from '../../crds/resource.ts';
import { type Informer, type Key, type KubeClient, keyFor, refOf } from '../../kube/api.ts';
import type { LetterObject, StoredLetter } from '../../store/dead-letters/object.ts';
import {
  type Cause,
  causeKeyOf,
  type Redrive,
  type RedriveObject,
  readRedrive,
} from '../../store/dead-letters/redrives.ts';
import type { Standing } from '../../store/dead-letters/standing.ts';
import { configMapKind, kinds } from '../../store/kinds.ts';
import { read } from '../../store/put.ts';
import { contentHashOf, hasFailed, requeueAsked } from '../../store/resources/state.ts';
import type { LetterReader } from '../dead-letters/reader.ts';
import type { CauseView, Fate, Situation } from './decide.ts';
import type { Remembered, Sent } from './memory.ts';

export interface Observed extends Omit<Situation, 'budget'> {
  readonly object: RedriveObject;
  readonly redrive: Redrive;
}

export interface ObserveDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly redrives: Pick<Informer<RedriveObject>, 'get'>;
  readonly letters: Pick<Informer<LetterObject>, 'get' | 'items'>;
  readonly resources: Pick<Informer<Resource>, 'get' | 'items'>;
  readonly reader: LetterReader;
}

/** For so long caches may not show what was sent; a letter that is there later on was never taken. */
export const sentShowsMs = 30_000;

/** @returns undefined when the redrive is gone, or nothing that can be followed */
export async function observe(
  key: Key,
  deps: ObserveDeps,
  { remembered, now }: { remembered: Remembered; now: number },
): Promise<Observed | undefined> {
  const object = deps.redrives.get(key);
  const redrive = object && readRedrive(object);
  if (object === undefined || redrive === undefined) return undefined;
  const { namespace = '' } = refOf(key);
  // First, because it takes turns: what is decided on must be of one moment.
  await deps.reader.readAhead(deps.letters.items(namespace));
  const sorted = sortLetters(namespace, redrive, { deps, remembered, now });
  const fates = await fatesOf(namespace, redrive, { deps, sorted });
  const keys = new Set([...Object.keys(redrive.causes), ...sorted.groups.keys()]);
  const causes = [...keys].map((cause): CauseView => {
    const { live = [], underWay = 0 } = sorted.groups.get(cause) ?? {};
    return {
      key: cause,
      recorded: redrive.causes[cause],
      live: [...live].sort((left, right) => left.failedAt.getTime() - right.failedAt.getTime()),
      underWay,
      fate: fates.get(cause),
      failedSince: sorted.failedSince.get(cause) ?? 0,
      batchSucceeded: lastEnding(remembered.batches.get(cause) ?? [], sorted, deps),
    };
  });
  return { object, redrive, causes, superseded: sorted.superseded };
}

interface Group {
  readonly live: StoredLetter[];
  underWay: number;
}

interface Sorted {
  readonly groups: Map<string, Group>;
  readonly superseded: StoredLetter[];
  /** Letters of the redrive by event id. */
  readonly standings: Map<string, Standing>;
  /** Events with a letter that was written after the cut-off. */
  readonly failedAgain: Set<string>;
  readonly failedSince: Map<string, number>;
}

function sortLetters(
  namespace: string,
  redrive: Redrive,
  { deps, remembered, now }: { deps: ObserveDeps; remembered: Remembered; now: number },
): Sorted {
  const sorted: Sorted = {
    groups: new Map(),
    superseded: [],
    standings: new Map(),
    failedAgain: new Set(),
    failedSince: new Map(),
  };
  for (const object of deps.letters.items(namespace)) {
    const letter = deps.reader.read(object);
    if (letter === undefined) continue;
    if (redrive.provider !== undefined && letter.provider !== redrive.provider) continue;
    if (letter.failedAt > redrive.before) {
      sortLater(letter, sorted);
      continue;
    }
    const wasSent =
      now - (remembered.sent.get(letter.uid) ?? Number.NEGATIVE_INFINITY) < sentShowsMs;
    const resource = deps.resources.get(keyFor(letter.resource));
    const standing = deps.reader.standing(letter, resource);
    sortEarlier(letter, wasSent && standing === 'live' ? 'underWay' : standing, sorted);
  }
  return sorted;
}

function sortLater(letter: StoredLetter, { failedAgain, failedSince }: Sorted): void {
  const cause = causeKeyOf(letter);
  failedAgain.add(letter.eventId);
  failedSince.set(cause, (failedSince.get(cause) ?? 0) + 1);
}

function sortEarlier(letter: StoredLetter, standing: Standing, sorted: Sorted): void {
  const { groups, superseded, standings } = sorted;
  standings.set(letter.eventId, standing);
  if (standing === 'superseded') {
    superseded.push(letter);
    return;
  }
  const cause = causeKeyOf(letter);
  const group = groups.get(cause) ?? { live: [], underWay: 0 };
  groups.set(cause, group);
  if (standing === 'live') group.live.push(letter);
  else group.underWay += 1;
}

async function fatesOf(
  namespace: string,
  { causes }: Redrive,
  { deps, sorted }: { deps: ObserveDeps; sorted: Sorted },
): Promise<ReadonlyMap<string, Fate>> {
  const trying = Object.entries(causes).filter(([, { state }]) => state === 'trying');
  const fates = new Map<string, Fate>();
  if (trying.length === 0) return fates;
  const resources = byEvent(deps.resources.items(namespace));
  for (const [key, cause] of trying) {
    const fate = fateOf(cause, resources.get(cause.canary), sorted);
    fates.set(key, fate === 'silent' ? await askAfter(cause, resources, deps) : fate);
  }
  return fates;
}

function byEvent(resources: Iterable<Resource>): ReadonlyMap<string, Resource> {
  const found = new Map<string, Resource>();
  for (const resource of resources) {
    const id = resource.status?.event?.id;
    if (id !== undefined) found.set(id, resource);
  }
  return found;
}

/** @returns `silent` when the caches show a failure without a letter: one of them is behind, or somebody deleted it */
export function fateOf(
  { canary, type }: Cause,
  resource: Resource | undefined,
  { failedAgain, standings }: Pick<Sorted, 'failedAgain' | 'standings'>,
): Fate | 'silent' {
  if (failedAgain.has(canary)) return 'failed';
  const standing = standings.get(canary);
  if (standing === 'live') return 'missed';
  if (resource === undefined) return type === 'DELETE' ? 'succeeded' : 'void';
  if (wentOn(type, resource)) return 'void';
  if (resource.status?.state === 'ready') return 'succeeded';
  const isSilent = standing === undefined && isLeftFailed(resource);
  return isSilent ? 'silent' : 'pending';
}

/** Whether something else is wanted of the resource by now. */
function wentOn(type: Cause['type'], { metadata, spec, status }: Resource): boolean {
  if (type === 'DELETE') return false;
  const isCurrent = status?.content === contentHashOf(spec);
  return metadata.deletionTimestamp !== undefined || !isCurrent;
}

function isLeftFailed(resource: Resource): boolean {
  return hasFailed(resource) && requeueAsked(resource) === undefined;
}

async function askAfter(
  { canary }: Cause,
  cached: ReadonlyMap<string, Resource>,
  { client }: ObserveDeps,
): Promise<Fate> {
  const { name = '', namespace } = cached.get(canary)?.metadata ?? {};
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
  // In this order: the letter is written before the failure, so a failure that is seen had its letter.
  const resource = await read<Resource>(client, kinds.resource, ref);
  const isFailed = resource?.status?.event?.id === canary && isLeftFailed(resource);
  if (!isFailed) return 'pending';
  const letter = await read<LetterObject>(client, configMapKind, { ...ref, name: canary });
  return letter === undefined ? 'void' : 'pending';
}

/** @returns whether anything succeeded of the newest batch of which any end is known */
function lastEnding(
  batches: readonly (readonly Sent[])[],
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

function hasSucceeded({ eventId, type }: Sent, resource: Resource | undefined): boolean {
  if (resource === undefined) return type === 'DELETE';
  return resource.status?.event?.id === eventId && resource.status.state === 'ready';
}
