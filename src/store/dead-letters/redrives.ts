// Stores redrives: the work that "retry all" requests from the leader, one ConfigMap per filter. Durable once accepted; a
// version selects its dead letters, and each cause has its progress.
import { randomUUID } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import { type EventType, eventTypes } from '../../domain/event.ts';
import type { KubeClient, KubeObject, ObjectMeta } from '../../kube/api.ts';
import { isNewer } from '../../kube/informer/cache.ts';
import { jsonIn } from '../../lib/json.ts';
import { annotation, configMapKind, label } from '../kinds.ts';
import { maxRounds, put, read } from '../put.ts';
import type { StoredDeadLetter } from './object.ts';

/** `trying`: the canary was sent. `open`: it succeeded, the rest follows. `held`: it failed again, the rest stays. */
export type CauseState = (typeof causeStates)[number];
const causeStates = ['trying', 'open', 'held'] as const;

export interface Cause {
  /** Id of the event of the canary. */
  readonly canary: string;
  /** Type of that event: after a successful deletion it is stored nowhere else. */
  readonly type: EventType;
  readonly state: CauseState;
}

/** The dead letters of a redrive, a list or a deletion: all of them when both are undefined. */
export interface DeadLetterFilter {
  readonly provider?: string | undefined;
  /** Fingerprint of the failure. */
  readonly cause?: string | undefined;
}

export interface Redrive extends DeadLetterFilter {
  /**
   * The newest resourceVersion with which an accepted dead letter was created. Unlike a time it is the same for every process:
   * clocks of the API and the leader may differ.
   */
  readonly untilVersion: string;
  /** How many dead letters requests have accepted. */
  readonly accepted: number;
  /** By `<provider>/<cause>`. */
  readonly causes: Readonly<Record<string, Cause>>;
}

type RedriveRequest = Pick<Redrive, 'provider' | 'cause' | 'untilVersion'>;

/** Maximum causes in one object; others wait until a cause is done. Far below the limit of a ConfigMap. */
export const maxCauses = 1_000;

export interface RedriveObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const redriveSelector = `${label.redrive}=true,${label.managedBy}=fairlead`;

/**
 * Accepts a request to resend every present dead letter. A running redrive continues with the newer version and retries what
 * it held back. After the return it is durable, whatever crashes.
 * @param newlyAccepted returns the number of dead letters that the redrive, as it was before, did not resend
 * @returns the redrive as it was before, whose dead letters are not newly accepted; undefined when there was none
 * @throws KubeError, FairleadError `conflict` when concurrent writes never end
 */
export async function acceptRedrive(
  client: KubeClient,
  namespace: string,
  asked: RedriveRequest,
  newlyAccepted: (replaced: Redrive | undefined) => number = () => 0,
): Promise<Redrive | undefined> {
  const { provider, cause } = asked;
  const name = redriveName(asked);
  const request = randomUUID();
  let replaced: Redrive | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const present = await read<RedriveObject>(client, configMapKind, { namespace, name });
    const redrive = present === undefined ? undefined : readRedrive(present);
    // This request wrote it, and only the response was lost.
    if (present?.metadata.annotations?.[annotation.request] === request) return replaced;
    if (redrive !== undefined && coversRequest(redrive, asked)) return redrive;
    replaced = redrive;
    const accepted = (redrive?.accepted ?? 0) + newlyAccepted(replaced);
    const next = { provider, cause, accepted, ...renewed(redrive, asked) };
    const annotations = { ...present?.metadata.annotations, [annotation.request]: request };
    const metadata = { ...(present?.metadata ?? { name, namespace }), annotations };
    if ((await put(client, configMapKind, redriveObject(metadata, next))) !== undefined)
      return replaced;
  }
  throw new FairleadError(
    'conflict',
    'Another client retries dead letters at the same time; try again',
  );
}

/** A dot occurs in no provider name, so filters never share a name. */
function redriveName({ provider, cause }: DeadLetterFilter): string {
  const ofProvider = provider === undefined ? '' : `-${provider}`;
  return `redrive${ofProvider}${cause === undefined ? '' : `.${cause}`}`;
}

/** @returns whether a dead letter passes a filter */
export function selects(
  { provider, cause }: DeadLetterFilter,
  deadLetter: Pick<StoredDeadLetter, 'provider' | 'cause'>,
): boolean {
  const isOfProvider = provider === undefined || provider === deadLetter.provider;
  return isOfProvider && (cause === undefined || cause === deadLetter.cause);
}

/** @returns every running redrive of a namespace */
export async function redrivesIn(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
): Promise<readonly Redrive[]> {
  const where = { namespace, labelSelector: redriveSelector };
  const { items } = await client.list<RedriveObject>(configMapKind, where);
  return items.map(readRedrive).filter((each) => each !== undefined);
}

/** @returns whether a redrive will resend a dead letter without another request */
export function accepts(redrive: Redrive, deadLetter: PlacedDeadLetter): boolean {
  const isHeld = redrive.causes[causeKeyOf(deadLetter)]?.state === 'held';
  return selects(redrive, deadLetter) && isBeforeCutOff(redrive, deadLetter) && !isHeld;
}

/** @returns whether a dead letter is one of those that the request accepted, and no later failure */
export function isBeforeCutOff(
  { untilVersion }: Pick<Redrive, 'untilVersion'>,
  { createdVersion }: Pick<StoredDeadLetter, 'createdVersion'>,
): boolean {
  return !isNewer(createdVersion, untilVersion);
}

export type PlacedDeadLetter = Pick<StoredDeadLetter, 'provider' | 'cause' | 'createdVersion'>;

export function causeKeyOf({
  provider,
  cause,
}: Pick<StoredDeadLetter, 'provider' | 'cause'>): string {
  return `${provider}/${cause}`;
}

function coversRequest({ untilVersion, causes }: Redrive, asked: RedriveRequest): boolean {
  const isHeld = Object.values(causes).some(({ state }) => state === 'held');
  return !isNewer(asked.untilVersion, untilVersion) && !isHeld;
}

function renewed(
  redrive: Redrive | undefined,
  asked: RedriveRequest,
): Pick<Redrive, 'untilVersion' | 'causes'> {
  if (redrive === undefined) return { untilVersion: asked.untilVersion, causes: {} };
  const causes = Object.entries(redrive.causes).filter(([, { state }]) => state !== 'held');
  const isLater = isNewer(asked.untilVersion, redrive.untilVersion);
  const { untilVersion } = isLater ? asked : redrive;
  return { untilVersion, causes: Object.fromEntries(causes) };
}

/** Replaces the stored state. @throws KubeError `conflict` when the object changed since it was read */
export function saveRedrive(
  client: KubeClient,
  { metadata }: RedriveObject,
  redrive: Redrive,
): Promise<RedriveObject> {
  return client.replace<RedriveObject>(configMapKind, redriveObject(metadata, redrive));
}

function redriveObject(metadata: ObjectMeta, redrive: Redrive): RedriveObject {
  const { provider, cause, untilVersion, accepted, causes } = redrive;
  return {
    apiVersion: 'v1',
    kind: configMapKind.kind,
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [label.managedBy]: 'fairlead',
        [label.redrive]: 'true',
        ...(provider === undefined ? {} : { [label.provider]: provider }),
      },
    },
    data: {
      ...(provider === undefined ? {} : { provider }),
      ...(cause === undefined ? {} : { cause }),
      untilVersion,
      accepted: String(accepted),
      causes: JSON.stringify(causes),
    },
  };
}

/** @returns undefined when the object has no usable content, because another client wrote it */
export function readRedrive({ data = {} }: RedriveObject): Redrive | undefined {
  const { provider, cause, accepted = '', untilVersion = '' } = data;
  const causes = causesIn(data['causes'] ?? '{}');
  const isUsable = /^\d{1,20}$/.test(untilVersion) && /^\d{1,15}$/.test(accepted);
  if (!isUsable || causes === undefined) return undefined;
  return { provider, cause, untilVersion, accepted: Number(accepted), causes };
}

function causesIn(text: string): Record<string, Cause> | undefined {
  const value = jsonIn(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value as Record<string, unknown>);
  const usable = entries.filter((entry): entry is [string, Cause] => isCause(entry[1]));
  return Object.fromEntries(usable);
}

function isCause(value: unknown): value is Cause {
  const { canary, type, state } = (value ?? {}) as Partial<Cause>;
  const isKnown = eventTypes.some((each) => each === type);
  return typeof canary === 'string' && isKnown && causeStates.some((each) => each === state);
}
