// Lets the controller die after one of its writes of a build or a deployment, on a real API server, and another one finish:
// there is exactly one Job for the version and one Deployment for the provider, and nothing is half recorded.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import type { Provider } from '../../../src/crds/provider.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { ArtifactRef } from '../../../src/domain/providers/artifact.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { deploymentKind, type Job, jobKind, podKind } from '../../../src/reconcilers/workloads.ts';
import { createBuildStore } from '../../../src/store/builds/store.ts';
import { kinds, label, namespaceKind } from '../../../src/store/kinds.ts';
import { createProviderStore } from '../../../src/store/providers/store.ts';
import { installDefinitions } from '../fixtures/install-definitions.ts';
import { objectCache } from '../fixtures/object-cache.ts';
import { eventually } from '../runner/eventually.ts';
import { startControllers } from '../servers/controllers/controllers-of-a-process.ts';
import { dyingClient } from './dying-client.ts';

const types = [{ provider: 'box', resource: 'crate', description: 'A crate' }];

export interface BuildCrashes extends AsyncDisposable {
  /** @throws AssertionError when a death after the n-th write of a push leaves anything but one Job and a running build */
  pushWithDeath(n: number): Promise<void>;
  /** @throws AssertionError when a death after the n-th write leaves anything but a whole build and one Deployment */
  deployWithDeath(n: number): Promise<void>;
}

export async function openBuildCrashes(kubeconfig: string): Promise<BuildCrashes> {
  const real = createKubeClient(loadCluster({ kubeconfig }));
  await installDefinitions(real);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-crashes-'));
  const artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  const source = await keep('source');
  /** The result of every build. */
  const made = { artifact: await keep('built'), types: await keep(JSON.stringify({ types })) };

  async function keep(text: string): Promise<ArtifactRef> {
    const staged = await artifacts.put(Readable.from([Buffer.from(text)]), { maxBytes: 1e6 });
    return await staged.commit();
  }

  /** Runs controllers until their process dies at a write, or until stopped. */
  function controller(lastWrite: number) {
    const dying = dyingClient(real, lastWrite);
    const process = startControllers(dying.client, { artifacts });
    return { dying, stop: () => process.stop() };
  }

  /** Lets one controller die after its n-th write, and another one finish. @returns the writes of the first */
  async function crashingAt(lastWrite: number, done: () => Promise<void>): Promise<number> {
    const first = controller(lastWrite);
    await eventually(async () => {
      if (!first.dying.isDead) await done();
    }, 30_000);
    await first.stop();
    const second = controller(0);
    try {
      await eventually(done, 30_000);
    } finally {
      await second.stop();
    }
    return first.dying.writes.length;
  }

  let organizations = 0;

  async function organization() {
    organizations += 1;
    const made = organizationOf('https://crashes.test', `org-${organizations}-${Date.now()}`);
    const metadata = { name: made.namespace };
    await real.create(kinds.organization, {
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Organization',
      metadata,
      spec: { issuer: made.issuer, externalId: made.id },
    } as KubeObject);
    return made;
  }

  async function named(kind: Parameters<StreamingClient['list']>[0], namespace: string) {
    const labelSelector = `${label.managedBy}=fairlead`;
    const { items } = await real.list<KubeObject>(kind, { namespace, labelSelector });
    return items.map(({ metadata }) => metadata.name);
  }

  /** Ends the Job of a build as a node and the Job controller do. */
  async function finishJob(namespace: string, name: string): Promise<void> {
    const job = await real.get<Job>(jobKind, { namespace, name });
    const labels = { [label.managedBy]: 'fairlead', [label.build]: name };
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
    const containers = [{ name: 'publish', image: 'x', securityContext: restricted }];
    const { uid = '' } = job.metadata;
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true };
    const pod = await real.create(podKind, {
      metadata: { name: `${name}-pod`, namespace, labels, ownerReferences: [owner] },
      spec: { containers, securityContext, automountServiceAccountToken: false },
    } as KubeObject);
    for (const { digest } of Object.values(made)) await artifacts.link(digest, namespace);
    const message = JSON.stringify(made);
    const terminated = { exitCode: 0, message, startedAt: null, finishedAt: null };
    await real.replaceStatus(podKind, {
      metadata: pod.metadata,
      status: {
        phase: 'Succeeded',
        containerStatuses: [
          {
            name: 'publish',
            image: 'x',
            imageID: '',
            ready: false,
            restartCount: 0,
            state: { terminated },
          },
        ],
      },
    });
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now });
    await real.replaceStatus(jobKind, {
      metadata: job.metadata,
      status: {
        startTime: now,
        completionTime: now,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      },
    });
  }

  async function phaseIs(namespace: string, name: string, phase: string): Promise<void> {
    const { status } = await real.get<Build>(kinds.build, { namespace, name });
    expect(status?.phase).toBe(phase);
  }

  /** Creates the namespace, and records it as that of the organization, as the controller does. */
  async function handOver(org: ReturnType<typeof organizationOf>): Promise<void> {
    const { metadata } = await real.create(namespaceKind, namespaceOf(org));
    const made = await real.get<KubeObject>(kinds.organization, { name: org.namespace });
    await real.replaceStatus(kinds.organization, {
      ...made,
      status: { namespaceUid: metadata.uid },
    });
  }

  return {
    async pushWithDeath(n) {
      const org = await organization();
      const { namespace } = org;
      // The namespace is made by the controllers; the push waits for it, as the API does.
      await handOver(org);
      const store = createBuildStore({ client: real, clock: systemClock });
      const { jobName } = await store.create(org, 'box', source);
      await crashingAt(n, () => phaseIs(namespace, jobName, 'building'));
      expect(await named(jobKind, namespace)).toEqual([jobName]);
    },
    async deployWithDeath(n) {
      const org = await organization();
      const { namespace } = org;
      await handOver(org);
      const store = createBuildStore({ client: real, clock: systemClock });
      const { jobName, version } = await store.create(org, 'box', source);
      const starting = controller(0);
      await eventually(() => phaseIs(namespace, jobName, 'building'), 30_000);
      await starting.stop();
      await finishJob(namespace, jobName);
      await createProviderStore({
        client: real,
        clock: systemClock,
        resources: objectCache(),
      }).deploy(org, 'box', {
        version,
      });
      await crashingAt(n, async () => {
        await phaseIs(namespace, jobName, 'success');
        const { status } = await real.get<Provider>(kinds.provider, { namespace, name: 'box' });
        expect(status?.conditions?.[0]?.reason).toBe('Progressing');
      });
      const build = await store.get(org, 'box', jobName);
      expect(build).toMatchObject({ phase: 'success', artifact: made.artifact });
      expect(build.types.map(({ resource }) => resource)).toEqual(['crate']);
      expect(build.log).toMatch(/^sha256:/);
      expect(await named(deploymentKind, namespace)).toEqual(['provider-box']);
      expect(await named(jobKind, namespace)).toEqual([jobName]);
    },
    async [Symbol.asyncDispose]() {
      await real.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function namespaceOf({ namespace, issuer, id }: ReturnType<typeof organizationOf>): KubeObject {
  const annotations = { 'fairlead.dev/issuer': issuer, 'fairlead.dev/organization-id': id };
  const labels = {
    'app.kubernetes.io/managed-by': 'fairlead',
    'fairlead.dev/organization': 'true',
  };
  return { metadata: { name: namespace, annotations, labels } };
}
