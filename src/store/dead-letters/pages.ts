// The letters of an organization, page by page, so that thousands need not be in memory at once. What is no letter is left out.
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { configMapKind, label } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { fromConfigMap, type LetterObject, type StoredLetter } from './object.ts';

/** In no order that means anything. @throws KubeError */
export async function* lettersIn(
  client: Pick<KubeClient, 'list'>,
  { namespace }: Pick<Organization, 'namespace'>,
  { provider }: { readonly provider?: string | undefined } = {},
): AsyncIterable<StoredLetter> {
  const ofProvider = provider === undefined ? '' : `,${label.provider}=${provider}`;
  const labelSelector = `${label.deadLetter}=true${ofProvider}`;
  for await (const item of pagesOf<LetterObject>(client, configMapKind, {
    namespace,
    labelSelector,
  })) {
    const letter = fromConfigMap(item);
    // The label decides what is read, the letter itself what it speaks of.
    if (letter !== undefined && (provider ?? letter.provider) === letter.provider) yield letter;
  }
}
