// A tenant at its quota, with the real controllers that count and create pods: the error names the quota.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { guardKinds } from '../../../src/reconcilers/organization/guard-kinds.ts';
import { createBuildStore } from '../../../src/store/builds/store.ts';
import { kinds } from '../../../src/store/kinds.ts';
import { installDefinitions } from '../../support/fixtures/install-definitions.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../../support/servers/control-plane.ts';
import {
  type ControllerProcess,
  startControllers,
} from '../../support/servers/controllers/controllers-of-a-process.ts';

let controlPlane: OwnControlPlane;
let client: StreamingClient;
let controllers: ControllerProcess;
let folder: string;

beforeAll(async () => {
  controlPlane = await ownControlPlane(['etcd', 'kube-apiserver', 'kube-controller-manager']);
  client = createKubeClient(loadCluster(controlPlane));
  await installDefinitions(client);
  folder = await mkdtemp(join(tmpdir(), 'fairlead-quota-'));
  controllers = startControllers(client, {
    artifacts: await openArtifactStore({ kind: 'filesystem', folder }, systemClock),
  });
}, 60_000);

afterAll(async () => {
  await controllers?.stop();
  await client?.close();
  await controlPlane?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Counted {
  readonly status?: { readonly hard?: object };
}

it('[K14] reports a build that waits for quota', async () => {
  const made = organizationOf('https://quota.test', 'small');
  const { namespace } = made;
  await client.create(kinds.organization, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name: namespace },
    spec: { issuer: made.issuer, externalId: made.id, limits: { cpu: 1 } },
  } as KubeObject);
  // Before Kubernetes has counted for it, a busy API server may not know the quota, and would admit the pod.
  await eventually(async () => {
    const ref = { namespace, name: 'fairlead' };
    const quota = await client.get<KubeObject & Counted>(guardKinds.resourceQuota, ref);
    expect(quota.status?.hard).toBeDefined();
  });
  const artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  const staged = await artifacts.put(Readable.from([Buffer.from('source')]), { maxBytes: 1e6 });
  const source = await staged.commit();
  const store = createBuildStore({ client, clock: systemClock });
  const name = await eventually(async () => (await store.create(made, 'box', source)).jobName);
  await eventually(async () => {
    const { status } = await client.get<Build>(kinds.build, { namespace, name });
    expect(status?.conditions?.[0]).toMatchObject({
      reason: 'QuotaExceeded',
      message: expect.stringMatching(/^The build cannot start: exceeded quota: fairlead, /),
    });
    expect(status?.phase).toBe('building');
  }, 40_000);
}, 60_000);
