// Labels one dead letter and removes those beyond the limit. Caches may lag: the API server is read before any write, so
// that an old view of a resource never removes a live dead letter.
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import type { DeadLetterObject, StoredDeadLetter } from '../../store/dead-letters/object.ts';
import {
  deadLetterState,
  freshResource,
  removeSuperseded,
} from '../../store/dead-letters/state.ts';
import { annotation, configMapKind, label } from '../../store/kinds.ts';
import type { DeadLetterIndex } from './by-resource.ts';
import { decideMark, surplusDeadLetters } from './decide.ts';
import type { DeadLetterReader } from './reader.ts';

export interface ActDeps {
  readonly client: KubeClient;
  readonly deadLetters: Pick<Informer<DeadLetterObject>, 'get' | 'remember'>;
  readonly reader: Pick<DeadLetterReader, 'read' | 'state'>;
  readonly index: DeadLetterIndex;
  /** Maximum superseded dead letters per organization. */
  readonly supersededKept: number;
}

/** Does not mark when the API server contradicts the cache; the missing change will arrive. */
export async function correctLabels(
  deadLetter: StoredDeadLetter,
  { client, deadLetters }: ActDeps,
): Promise<void> {
  const wanted = decideMark(
    deadLetter.marked,
    deadLetterState(deadLetter, await freshResource(client, deadLetter)),
  );
  if (wanted === undefined && deadLetter.hasCauseLabel) return;
  const { uid, resourceVersion, createdVersion, resource, eventId, cause } = deadLetter;
  const mark = wanted === undefined ? {} : { [label.superseded]: wanted ? 'true' : null };
  const labels = { ...mark, [label.cause]: cause };
  const ref = { namespace: resource.namespace, name: eventId };
  const annotations = { [annotation.createdVersion]: createdVersion };
  const patch = { metadata: { uid, resourceVersion, labels, annotations } };
  deadLetters.remember(await client.patch<DeadLetterObject>(configMapKind, ref, patch));
}

const maxAtOnce = 50;

/** @returns whether there is more to remove */
export async function prune(namespace: string, deps: ActDeps): Promise<boolean> {
  const marked = deps.index.marked(namespace);
  if (marked.size <= deps.supersededKept) return false;
  const deadLetters = [...marked].flatMap((key) => {
    const object = deps.deadLetters.get(key);
    const deadLetter = object && deps.reader.read(object);
    return deadLetter?.marked === true ? [deadLetter] : [];
  });
  const surplus = surplusDeadLetters(deadLetters, deps.supersededKept);
  for (const deadLetter of surplus.slice(0, maxAtOnce)) await removeDeadLetter(deadLetter, deps);
  return surplus.length > maxAtOnce;
}

async function removeDeadLetter(
  deadLetter: StoredDeadLetter,
  { client, index }: ActDeps,
): Promise<void> {
  if (!(await removeSuperseded(client, deadLetter))) return;
  // The cache receives it later; the next pass must not remove it again.
  index.heard(keyFor({ ...deadLetter.resource, name: deadLetter.eventId }), undefined);
}
