// Marks one letter, and removes what is beyond the limit. Caches may be behind: a letter that is live is never lost to an old
// view of its resource, because the API server is asked before anything is written.
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import type { LetterObject, StoredLetter } from '../../store/dead-letters/object.ts';
import { freshResource, removeSuperseded, standingOf } from '../../store/dead-letters/standing.ts';
import { configMapKind, label } from '../../store/kinds.ts';
import type { LetterIndex } from './by-resource.ts';
import { decideMark, surplusOf } from './decide.ts';
import type { LetterReader } from './reader.ts';

export interface ActDeps {
  readonly client: KubeClient;
  readonly letters: Pick<Informer<LetterObject>, 'get' | 'remember'>;
  readonly reader: Pick<LetterReader, 'read' | 'standing'>;
  readonly index: LetterIndex;
  /** Superseded letters that are kept of one organization. */
  readonly supersededKept: number;
}

/** Without a write when the API server knows better than the cache; the change that is missing comes. */
export async function mark(letter: StoredLetter, { client, letters }: ActDeps): Promise<void> {
  const wanted = decideMark(letter.marked, standingOf(letter, await freshResource(client, letter)));
  if (wanted === undefined) return;
  const { uid, resourceVersion, resource, eventId } = letter;
  const labels = { [label.superseded]: wanted ? 'true' : null };
  const ref = { namespace: resource.namespace, name: eventId };
  const patch = { metadata: { uid, resourceVersion, labels } };
  letters.remember(await client.patch<LetterObject>(configMapKind, ref, patch));
}

const mostAtOnce = 50;

/** @returns whether there is more to remove */
export async function prune(namespace: string, deps: ActDeps): Promise<boolean> {
  const marked = deps.index.marked(namespace);
  if (marked.size <= deps.supersededKept) return false;
  const letters = [...marked].flatMap((key) => {
    const object = deps.letters.get(key);
    const letter = object && deps.reader.read(object);
    return letter?.marked === true ? [letter] : [];
  });
  const surplus = surplusOf(letters, deps.supersededKept);
  for (const letter of surplus.slice(0, mostAtOnce)) await remove(letter, deps);
  return surplus.length > mostAtOnce;
}

async function remove(letter: StoredLetter, { client, index }: ActDeps): Promise<void> {
  if (!(await removeSuperseded(client, letter))) return;
  // The cache hears of it later; the next pass must not remove it once more.
  index.heard(keyFor({ ...letter.resource, name: letter.eventId }), undefined);
}
