// A provider's Deployment is written when it is to be another one, and not again and again when the answer is slow to come back,
// or is not what was written: on a real API server, behind a proxy that holds watches, and with a webhook.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import type { Deployment } from '../../../src/reconcilers/workloads.ts';
import { deploymentKind, disruptionBudgetKind } from '../../../src/reconcilers/workloads.ts';
import { annotation, apiVersion, kinds } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { type FaultProxy, startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { builtProvider } from '../../support/fixtures/code/built-provider.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import {
  type ControllerProcess,
  startControllers,
} from '../../support/servers/controllers/controllers-of-a-process.ts';
import { kubectlFor } from '../../support/tools/kubectl.ts';

const ref = { name: 'box' };

const direct = clientWithCrds();
let proxy: FaultProxy;
let client: StreamingClient;
let controllers: ControllerProcess;
let namespace: string;

beforeEach(async () => {
  proxy = await startFaultProxy(sharedControlPlane().kubeconfig);
  client = createKubeClient(loadCluster({ kubeconfig: proxy.kubeconfig }));
  controllers = startControllers(client, {
    artifacts: { has: () => Promise.resolve(true) } as never,
  });
});
afterEach(async () => {
  await controllers.stop();
  await client.close();
  await proxy.stop();
});

/** An organization, and a version of a provider that was built for it. */
async function built() {
  const provider = await builtProvider(direct);
  ({ namespace } = provider);
  const { version } = await provider.build();
  return { deploy: () => provider.deploy(version) };
}

const change = (patch: object) =>
  direct.patch<Provider>(kinds.provider, { ...ref, namespace }, patch);
const deployment = () =>
  direct.get<Deployment>(deploymentKind, { name: 'provider-box', namespace });
const writes = () =>
  proxy.asked.filter(
    ({ verb, plural, path }) =>
      verb === 'write' && plural === 'deployments' && path.includes(`/${namespace}/`),
  ).length;

/** Wakes the reconciler many times, and sees that it looked each time by the last change, which is another Deployment. */
async function wokenManyTimes(): Promise<void> {
  for (let wake = 0; wake < 20; wake += 1) {
    await change({ metadata: { annotations: { wake: String(wake) } } });
  }
  await change({ spec: { replicas: 2 } });
  await eventually(async () => expect((await deployment()).spec?.replicas).toBe(2));
}

async function reasonIs(reason: string): Promise<void> {
  await eventually(async () => {
    const { status } = await direct.get<Provider>(kinds.provider, { ...ref, namespace });
    expect(status?.conditions?.[0]?.reason).toBe(reason);
  });
}

it('follows the subresource scale, and has a PodDisruptionBudget while it wants several pods', async () => {
  await (await built()).deploy();
  await eventually(deployment);
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  const scaled = async (replicas: number, budget: object | undefined) => {
    await kubectl('scale', 'provider.fairlead.dev/box', `--replicas=${replicas}`);
    await eventually(async () => expect((await deployment()).spec?.replicas).toBe(replicas));
    const ref = { name: 'provider-box', namespace };
    const found = await direct.get<KubeObject>(disruptionBudgetKind, ref).catch(() => undefined);
    if (budget === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(budget);
  };
  await scaled(3, { spec: { maxUnavailable: 1 } });
  await scaled(1, undefined);
  await scaled(2, { spec: { maxUnavailable: 1 } });
  // Its pods are refused by nothing here; only its status is read.
  await eventually(async () => {
    const selector = '{.status.selector}';
    const read = ['get', 'provider.fairlead.dev/box', '-o', `jsonpath=${selector}`];
    expect(await kubectl(...read)).toBe('fairlead.dev/provider=box,fairlead.dev/version');
  });
  await change({ spec: { version: null } });
  await eventually(async () => {
    const names = await kubectl('get', 'deployments,poddisruptionbudgets', '-o', 'name');
    expect(names.trim()).toBe('');
  });
});

it('shows one pod for a Provider without a number', async () => {
  const { deploy } = await built();
  await deploy();
  await change({ spec: { replicas: null } });
  const path = `/apis/${apiVersion}/namespaces/${namespace}/providers/box/scale`;
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  expect(JSON.parse(await kubectl('get', '--raw', path))).toMatchObject({ spec: { replicas: 1 } });
});

it('leaves Builds that list no provider any more, when it is deleted with kubectl', async () => {
  await (await built()).deploy();
  await eventually(deployment);
  await direct.delete(kinds.provider, { ...ref, namespace });
  await eventually(async () => {
    const { items } = await direct.list(kinds.build, { namespace });
    const withdrawn = items.map(({ metadata }) => metadata.annotations?.[annotation.withdrawn]);
    expect(withdrawn).toEqual([expect.any(String)]);
  });
});

it('is not applied repeatedly while the watch lags', async () => {
  const released = Promise.withResolvers<void>();
  await controllers.caches.deployments.start();
  proxy.rule(({ verb, plural }) =>
    verb === 'watch' && plural === 'deployments' ? { holdUntil: released.promise } : undefined,
  );
  proxy.disturb('deployments', 'end');
  await eventually(() => expect(proxy.openWatches('deployments')).toBe(0));
  const began = performance.now();
  await (await built()).deploy();
  await eventually(deployment);
  await wokenManyTimes();
  const seconds = (performance.now() - began) / 1_000;
  // Once for each of the two manifests, and again after 1, 2, 4 … seconds.
  expect(writes()).toBeLessThanOrEqual(2 + 2 * Math.log2(1 + seconds));
  released.resolve();
  await reasonIs('Progressing');
});

const webhooks: KindRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};

interface Review {
  readonly request: { readonly uid: string; readonly object: KubeObject };
}

/** Takes our annotation off every Deployment that is written, and leaves another mark at each write. */
async function startWebhook(): Promise<Server> {
  const certs = join(dirname(sharedControlPlane().kubeconfig), 'certs');
  const cert = readFileSync(join(certs, 'apiserver.crt'));
  let reviews = 0;
  const server = createServer(
    { cert, key: readFileSync(join(certs, 'apiserver.key')) },
    (request, response) => {
      void text(request).then((body) => {
        const { uid, object } = (JSON.parse(body) as Review).request;
        const { [annotation.manifest]: _taken, ...kept } = object.metadata.annotations ?? {};
        reviews += 1;
        const value = { ...kept, reviewed: String(reviews) };
        const patch = JSON.stringify([{ op: 'add', path: '/metadata/annotations', value }]);
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: {
              uid,
              allowed: true,
              patchType: 'JSONPatch',
              patch: Buffer.from(patch).toString('base64'),
            },
          }),
        );
      });
    },
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await direct.create(webhooks, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: webhooks.kind,
    metadata: { name: 'takes-annotations' },
    webhooks: [
      {
        name: 'takes-annotations.fairlead.test',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: cert.toString('base64'),
        },
        rules: [
          {
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            resources: ['deployments'],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Ignore',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      },
    ],
  } as KubeObject);
  return server;
}

/** A webhook is called only a moment after it was made. */
async function isCalled(): Promise<void> {
  const labels = { app: 'probe' };
  const probe = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'probe', namespace, annotations: { [annotation.manifest]: 'probe' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'probe', image: 'x' }] },
      },
    },
  };
  const written = await direct.apply<Deployment>(deploymentKind, probe, { fieldManager: 'probe' });
  expect(written.metadata.annotations).not.toHaveProperty(annotation.manifest);
}

it('is not applied repeatedly when a webhook removes its identifying labels', async () => {
  const { deploy } = await built();
  const webhook = await startWebhook();
  try {
    await eventually(isCalled);
    await deploy();
    await reasonIs('Progressing');
    expect((await deployment()).metadata.annotations).not.toHaveProperty(annotation.manifest);
    await wokenManyTimes();
    expect(writes()).toBeLessThanOrEqual(4);
  } finally {
    await direct.delete(webhooks, { name: 'takes-annotations' });
    webhook.closeAllConnections();
    webhook.close();
  }
});
