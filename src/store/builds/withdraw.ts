// Marks the Builds of a provider that is deleted. They stay for their retention and can be deployed again, but are no reason any
// more to list the provider.
import type { Build } from '../../crds/build.ts';
import type { KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { annotation, kinds } from '../kinds.ts';

export async function withdraw(
  builds: Iterable<Build>,
  { client, clock }: { client: Pick<KubeClient, 'patch'>; clock: Pick<Clock, 'now'> },
): Promise<void> {
  const annotations = { [annotation.withdrawn]: clock.now().toISOString() };
  for (const { metadata } of builds) {
    const { name, namespace, uid } = metadata;
    if (metadata.annotations?.[annotation.withdrawn] !== undefined) continue;
    try {
      const patch = { metadata: { uid, annotations } };
      await client.patch<Build>(kinds.build, { name, namespace }, patch);
    } catch (thrown) {
      // Trimmed meanwhile, or another one of the same name.
      if (!hasReason(thrown, 'notFound') && !hasReason(thrown, 'conflict')) throw thrown;
    }
  }
}

export function isWithdrawn({ metadata }: Build): boolean {
  return metadata.annotations?.[annotation.withdrawn] !== undefined;
}
