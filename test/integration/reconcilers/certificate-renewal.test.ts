// Certificates of a provider whose wanted version may not be applied, and the Secrets of its versions, on a real API server. No
// kubelet runs: the test reports pods of the Deployment as available.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { certificateAnnotation } from '../../../src/providers/workloads/serving-certificate.ts';
import type { Deployment } from '../../../src/reconcilers/workloads.ts';
import { deploymentKind, secretKind } from '../../../src/reconcilers/workloads.ts';
import { annotation, kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { unsignedCertificates } from '../../support/fixtures/authority.ts';
import { builtProvider } from '../../support/fixtures/code/built-provider.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type ControllerProcess,
  startControllers,
} from '../../support/servers/controllers/controllers-of-a-process.ts';

const client = clientWithCrds();
let controllers: ControllerProcess;

beforeAll(() => {
  controllers = startControllers(client, {
    artifacts: { has: () => Promise.resolve(true) } as never,
    // Renewed after four to four and a half seconds, for which the tests wait at the same time.
    certificates: { ...unsignedCertificates, lifeMs: 6_000 },
  });
});
afterAll(() => controllers?.stop());

interface Running extends Deployment {
  readonly spec: NonNullable<Deployment['spec']> & {
    readonly template: {
      readonly spec: { readonly volumes: readonly { name: string; secret?: object }[] };
    };
  };
}

const expiryOf = ({ spec }: Running) =>
  spec.template.metadata?.annotations?.[certificateAnnotation.expiresAt];

/** A provider in an organization of its own, and its Deployment. */
async function deployedBox() {
  const box = await builtProvider(client);
  const { namespace } = box;
  const running = () => client.get<Running>(deploymentKind, { name: 'provider-box', namespace });
  const ref = { name: 'box', namespace };
  const provider = () => client.get<Provider>(kinds.provider, ref);
  return {
    ...box,
    ref,
    running,
    provider,
    /** As the controller of Deployments does when the pods are ready. */
    async becomesAvailable(): Promise<void> {
      await eventually(async () => {
        const { metadata, ...found } = await running();
        const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
        const status = { ...counts, observedGeneration: metadata.generation };
        await client.replaceStatus(deploymentKind, { ...found, metadata, status } as never);
        expect((await provider()).status?.deployedVersion).toBeDefined();
      });
    },
  };
}

const withoutCertificate = ({ spec: { template } }: Running) => ({
  ...template.spec,
  volumes: template.spec.volumes.filter(({ name }) => name !== 'certificate'),
});

it.concurrent('renews the certificate while the organization is suspended, and changes nothing else', async () => {
  const box = await deployedBox();
  const { namespace, running, provider } = box;
  const { version } = await box.build();
  await box.deploy(version);
  await eventually(running);
  await box.becomesAvailable();
  await client.patch(kinds.organization, { name: namespace }, { spec: { suspended: true } });
  const before = await running();
  const renewed = await eventually(async () => {
    const found = await running();
    expect(expiryOf(found)).not.toBe(expiryOf(before));
    return found;
  }, 20_000);
  expect(withoutCertificate(renewed)).toEqual(withoutCertificate(before));
  const { secret } = renewed.spec.template.spec.volumes.find(
    ({ name }) => name === 'certificate',
  ) as { secret: { secretName: string } };
  const name = secret.secretName;
  await client.get(secretKind, { name, namespace });
  // What was applied is still what is wanted: only the certificate was due.
  expect(renewed.metadata.annotations?.[annotation.manifest]).not.toBe(
    before.metadata.annotations?.[annotation.manifest],
  );
  const { status } = await provider();
  expect(status?.conditions?.[0]?.reason).not.toBe('Suspended');
});

it.concurrent('renews the certificate of the version that serves while the Build of a newer one is missing', async () => {
  const box = await deployedBox();
  const { ref, running, provider } = box;
  const { version } = await box.build();
  await box.deploy(version);
  await eventually(running);
  await box.becomesAvailable();
  await client.patch(kinds.provider, ref, { spec: { version: '20990101.000000' } });
  const before = await running();
  await eventually(async () => {
    expect(expiryOf(await running())).not.toBe(expiryOf(before));
  }, 20_000);
  expect((await provider()).status?.conditions?.[0]?.reason).toBe('BuildMissing');
});

it.concurrent('leaves the Secrets of a version to its Build, so that they go with it', async () => {
  const box = await deployedBox();
  const names: string[] = [];
  for (let deploys = 0; deploys < 15; deploys += 1) {
    const { name, version } = await box.build();
    names.push(name);
    await box.deploy(version);
    await eventually(async () => {
      const { labels } = (await box.running()).spec.template.metadata ?? {};
      expect(labels).toMatchObject({ 'fairlead.dev/version': version });
    });
  }
  // Nothing here removes an object after its owner, as the garbage collector of Kubernetes does.
  const { items } = await client.list<KubeObject>(secretKind, { namespace: box.namespace });
  const owners = items.map(({ metadata }) =>
    metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`),
  );
  for (const name of names) expect(owners).toContainEqual([`Build/${name}`]);
  expect(owners.flat().filter((owner) => !owner?.startsWith('Build/'))).toEqual([]);
});
