// An organization with versions of a provider `box` that were built for it: Builds as a controller leaves them, without code.
import { randomUUID } from 'node:crypto';
import type { ArtifactRef } from '../../src/domain/artifact.ts';
import { type Organization, organizationOf } from '../../src/domain/identity.ts';
import type { KubeClient, KubeObject } from '../../src/kube/api.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createBuildStore } from '../../src/store/builds/store.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { createProviderStore } from '../../src/store/providers/store.ts';
import { eventually } from './eventually.ts';

const artifact: ArtifactRef = { digest: `sha256:${'a'.repeat(64)}`, size: 1 };

export interface BuiltProvider {
  readonly organization: Organization;
  readonly namespace: string;
  /** Another version, successfully built. */
  build(): Promise<{ readonly name: string; readonly version: string }>;
  deploy(version: string): Promise<unknown>;
}

/** @param client one that is not disturbed */
export async function builtProvider(client: KubeClient): Promise<BuiltProvider> {
  const organization = organizationOf('https://deployments.test', randomUUID());
  const { namespace } = organization;
  await client.create<KubeObject>(kinds.organization, {
    apiVersion,
    kind: 'Organization',
    metadata: { name: namespace },
    spec: { issuer: organization.issuer, externalId: organization.id },
  } as KubeObject);
  const builds = createBuildStore({ client, clock: systemClock });
  const providers = createProviderStore({ client, clock: systemClock });
  return {
    organization,
    namespace,
    async build() {
      // Waits for the namespace, which controllers create after those of all other files on this control plane.
      const { jobName: name, version } = await eventually(
        () => builds.create(organization, 'box', artifact),
        60_000,
      );
      await eventually(async () => {
        const { metadata } = await client.get(kinds.build, { namespace, name });
        const status = { phase: 'success', artifact, types: [] };
        await client.replaceStatus(kinds.build, { apiVersion, kind: 'Build', metadata, status });
      });
      return { name, version };
    },
    deploy: (version) => providers.deploy(organization, 'box', { version }),
  };
}
