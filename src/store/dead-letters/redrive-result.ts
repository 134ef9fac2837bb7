// Stores the result of the redrive that ended last in a namespace: running redrives are deleted at their end, and clients
// that follow one ask for its outcome afterwards.
import { FairleadError } from '../../domain/errors.ts';
import type { KubeClient, KubeObject } from '../../kube/api.ts';
import { isJsonArray, jsonIn, textItems } from '../../lib/json.ts';
import { configMapKind, label } from '../kinds.ts';
import { maxRounds, put, read } from '../put.ts';

export interface RedriveResult {
  readonly endedAt: Date;
  /** How many dead letters requests had accepted. */
  readonly accepted: number;
  /** `<provider>/<cause>` of the causes that failed again. */
  readonly held: readonly string[];
}

interface ResultObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

// The dot keeps the name apart from redrives of a provider, and no cause is spelt so.
const name = 'redrive.last';

/** Replaces the result of an earlier redrive. @throws KubeError, FairleadError `conflict` */
export async function recordRedriveResult(
  client: KubeClient,
  namespace: string,
  { endedAt, accepted, held }: RedriveResult,
): Promise<void> {
  const data = {
    ended: endedAt.toISOString(),
    accepted: String(accepted),
    held: JSON.stringify(held),
  };
  for (let round = 0; round < maxRounds; round += 1) {
    const present = await read<ResultObject>(client, configMapKind, { namespace, name });
    const labels = { [label.managedBy]: 'fairlead', [label.redrive]: 'ended' };
    const metadata = { ...(present?.metadata ?? { name, namespace }), labels };
    const object = { apiVersion: 'v1', kind: configMapKind.kind, metadata, data };
    if ((await put<ResultObject>(client, configMapKind, object)) !== undefined) return;
  }
  throw new FairleadError('conflict', 'Another client changes the redrive; try again');
}

/** @returns undefined when no redrive has ended, or another client wrote the object */
export async function lastRedriveResult(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
): Promise<RedriveResult | undefined> {
  const found = await read<ResultObject>(client, configMapKind, { namespace, name });
  const { ended = '', accepted = '', held = '' } = found?.data ?? {};
  const endedAt = new Date(ended);
  const keys = jsonIn(held);
  const isUsable = !Number.isNaN(endedAt.getTime()) && /^\d{1,15}$/.test(accepted);
  if (!isUsable || !isJsonArray(keys)) return undefined;
  return { endedAt, accepted: Number(accepted), held: textItems(keys) };
}
