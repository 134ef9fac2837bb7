// Shares specs between the cache and what is read beside it. A spec is immutable within its generation, so its hash, which takes
// milliseconds for a large one, is computed once and not with each read.
import type { Resource } from '../../crds/resource.ts';
import type { KubeClient } from '../../kube/api.ts';
import { kinds } from '../kinds.ts';
import { read } from '../put.ts';

interface ResourceRef {
  readonly namespace: string;
  readonly name: string;
}

interface KnowingReader {
  readonly client: Pick<KubeClient, 'get'>;
  /** The cached object, which may be old. */
  readonly known: (ref: ResourceRef) => Resource | undefined;
}

/** @returns the resource as it was read; with the spec of the known one when that has the same generation */
export function withKnownSpec(found: Resource, known: Resource | undefined): Resource {
  const { uid, generation } = found.metadata;
  const isSame = known?.metadata.uid === uid && known?.metadata.generation === generation;
  return known !== undefined && isSame && uid !== undefined && generation !== undefined
    ? { ...found, spec: known.spec }
    : found;
}

/** @returns the resource as the API server has it; undefined when there is none */
export async function readResource(
  { client, known }: KnowingReader,
  ref: ResourceRef,
): Promise<Resource | undefined> {
  const found = await read<Resource>(client, kinds.resource, ref);
  return found && withKnownSpec(found, known(ref));
}
