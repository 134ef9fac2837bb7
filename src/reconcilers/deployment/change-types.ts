// Writes ResourceDefinitions around the takeover of a version. Each write replaces exactly what the decision was made on.
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import { again, type Informer, type KubeClient, lookAgain, type Outcome } from '../../kube/api.ts';
import { mustLookAgain } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { kinds } from '../../store/kinds.ts';
import { forEachConcurrently } from '../../store/parallel.ts';
import { definitionObject } from '../../store/providers/definition-object.ts';
import { isSameContent, servingVersionOf } from '../../store/providers/type-in-force.ts';
import { put } from '../../store/put.ts';
import type { Observed } from './observe.ts';
import type { TypeChange } from './type-changes.ts';

export interface ChangeTypesDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly definitions: Pick<Informer<ResourceDefinition>, 'remember'>;
}

const atOnce = 4;

export async function changeTypes(
  changes: readonly TypeChange[],
  observed: Observed,
  deps: ChangeTypesDeps,
): Promise<Outcome> {
  let isSeen = true;
  await forEachConcurrently(changes, atOnce, async (change) => {
    const isWritten = change.do === 'write' && (await writeType(change, observed, deps));
    if (change.do === 'remove') await removeType(change.existing, deps);
    isSeen &&= isWritten;
  });
  // The watch brings what others wrote and what was removed; one that is behind is not overtaken by one pass after the other.
  return isSeen ? again : lookAgain(deps.clock);
}

/** @returns whether this process has the result in its cache */
async function writeType(
  { name, existing, spec }: Extract<TypeChange, { do: 'write' }>,
  { provider }: Observed,
  { client, clock, definitions }: ChangeTypesDeps,
): Promise<boolean> {
  const { namespace = '' } = provider.metadata;
  const ref = { namespace, name };
  const isChanged = existing !== undefined && !isSameContent(existing.spec, spec);
  const since = servingVersionOf(provider)?.since;
  const at = existing === undefined ? clock.now().toISOString() : isChanged ? since : undefined;
  const written = await put(
    client,
    kinds.definition,
    definitionObject(ref, existing, { spec, at }),
  );
  if (written === undefined) return false;
  definitions.remember(written);
  return true;
}

async function removeType(
  { metadata }: ResourceDefinition,
  { client }: ChangeTypesDeps,
): Promise<void> {
  const { name, namespace, uid = '', resourceVersion = '' } = metadata;
  try {
    await client.delete(kinds.definition, { namespace, name }, { uid, resourceVersion });
  } catch (thrown) {
    // Somebody else has changed it: the next pass decides again.
    if (!mustLookAgain(thrown)) throw thrown;
  }
}
