// Corrections of a provider that are held, and their release. A controller holds them, and begins again after the release.
import { findCondition } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { kinds } from '../kinds.ts';
import { maxRounds, put, read } from '../put.ts';
import { iso } from '../resources/state.ts';

/** So many objects differ or are gone that the provider may look in the wrong place. */
export interface CorrectionsHeld {
  readonly since: string;
  readonly message: string;
}

/** @returns undefined while objects that differ may be corrected */
export function correctionsHeldOf({
  spec,
  status,
}: {
  readonly spec: Provider['spec'];
  readonly status?: Provider['status'] | undefined;
}): CorrectionsHeld | undefined {
  const held = findCondition(status?.conditions, 'CorrectionsHeld');
  if (held?.status !== 'True') return undefined;
  const since = iso(held.lastTransitionTime);
  // The condition stays until a controller has seen the release, which names it: clocks of two machines are not compared.
  const { correctionsReleased: released } = spec;
  const isReleased = released !== undefined && iso(released) === since;
  return isReleased ? undefined : { since, message: held.message };
}

/** @returns the Provider as the release writes it; itself when nothing is held */
export function released(provider: Provider): Provider {
  const held = correctionsHeldOf(provider);
  if (held === undefined) return provider;
  return { ...provider, spec: { ...provider.spec, correctionsReleased: held.since } };
}

/** @returns undefined when there is no such provider, or it is being deleted */
export async function releaseHeldCorrections(
  client: KubeClient,
  { namespace }: Organization,
  name: string,
): Promise<Provider | undefined> {
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await read<Provider>(client, kinds.provider, { namespace, name });
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
    const wanted = released(found);
    if (wanted === found) return found;
    const written = await put<Provider>(client, kinds.provider, wanted);
    if (written !== undefined) return written;
  }
  throw providerChanging();
}

export function providerChanging(): FairleadError {
  const message = 'Another client changes the provider at the same time; try again';
  return new FairleadError('conflict', message);
}
