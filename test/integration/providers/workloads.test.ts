// Workloads with tenant code, on a real API server that enforces the restricted Pod Security standard.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import {
  type BuildJobOptions,
  buildJob,
  buildSecrets,
} from '../../../src/providers/workloads/build-job.ts';
import {
  type DeploymentOptions,
  deployment,
  deploymentSecrets,
} from '../../../src/providers/workloads/deployment.ts';
import { tenantAccounts } from '../../../src/providers/workloads/pod.ts';
import {
  deploymentKind,
  jobKind,
  podKind,
  secretKind,
} from '../../../src/reconcilers/workloads.ts';
import { apiVersion, label, namespaceKind } from '../../../src/store/kinds.ts';
import { serviceAccountKind } from '../../support/fixtures/service-account.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const namespace = `fl-workloads-${randomUUID().slice(0, 8)}`;
const version = '20260101.000000';
const digest = `sha256:${'a'.repeat(64)}`;
// The maximum length of a name: derived names must still be valid.
const provider = 'p'.repeat(40);

const common = {
  namespace,
  provider,
  image: 'registry.example/fairlead:1.0.0',
  artifactsUrl: 'http://fairlead-internal:8081',
};
const job: BuildJobOptions = {
  ...common,
  name: `${provider}-20260101-000000`,
  labels: {
    [label.managedBy]: 'fairlead',
    [label.provider]: provider,
    [label.build]: `${provider}-20260101-000000`,
  },
  owner: { apiVersion, name: `${provider}-20260101-000000`, uid: randomUUID() },
  sourceDigest: digest,
  deadlineSeconds: 900,
};
const served: DeploymentOptions = {
  ...common,
  name: `provider-${provider}`,
  labels: { [label.managedBy]: 'fairlead', [label.provider]: provider },
  owner: { apiVersion, name: provider, uid: randomUUID() },
  organization: 'acme',
  version,
  replicas: 2,
  fairleadUrl: 'https://fairlead.example',
  minReadySeconds: 10,
  artifactDigest: digest,
  secretName: `provider-${provider}-20260101-000000`,
  certificate: {
    secretName: `provider-${provider}-tls-0123456789ab`,
    authority: 'a'.repeat(64),
    expiresAt: '2026-04-01T00:00:00.000Z',
  },
};
const isCertificate = ({ metadata }: KubeObject) => metadata.name === served.certificate.secretName;
const contents = { token: 't', certified: { certificate: 'c', key: 'k' } };

interface Container {
  readonly name: string;
  readonly command: readonly string[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<Record<'limits' | 'requests', Record<string, string>>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: object } }[];
  readonly envFrom?: unknown;
  readonly ports?: readonly { readonly hostPort?: number }[];
}

interface AdmittedPod extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly initContainers: readonly Container[];
    readonly containers: readonly Container[];
    readonly volumes: readonly Readonly<Record<string, unknown>>[];
    readonly securityContext: Readonly<Record<string, unknown>>;
  };
}

interface Template {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: object;
}

let client: StreamingClient;

beforeAll(async () => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace, labels } });
  // No pod is accepted without one, and nothing here makes it.
  for (const name of ['default', ...Object.values(tenantAccounts)]) {
    await client.create<KubeObject>(serviceAccountKind, { metadata: { name, namespace } });
  }
});
afterAll(async () => {
  await client?.delete(namespaceKind, { name: namespace });
  await client?.close();
});

/** Creates the pod of a template, as a controller of Kubernetes does. @returns the pod as stored by the API server */
async function validateConfig({ metadata, spec }: Template): Promise<AdmittedPod> {
  const pod = await client.create<KubeObject>(podKind, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${randomUUID()}`, namespace, labels: metadata.labels },
    spec,
  } as KubeObject);
  await client.delete(podKind, pod.metadata, { gracePeriodSeconds: 0 });
  return pod as AdmittedPod;
}

const templates: [string, Template][] = [
  ['a build', buildJob(job).spec.template],
  ['a provider', deployment(served).spec.template],
];

describe.each(templates)('the pod of %s', (_name, template) => {
  let pod: AdmittedPod;
  let containers: readonly Container[];
  beforeAll(async () => {
    pod = await validateConfig(template);
    containers = [...pod.spec.initContainers, ...pod.spec.containers];
  });

  it('has no access to the cluster', () => {
    expect(pod.spec).toMatchObject({ automountServiceAccountToken: false });
    expect(pod.spec).toMatchObject({ enableServiceLinks: false });
    expect(JSON.stringify(pod.spec)).not.toMatch(/serviceAccountToken"|kube-api-access/);
    for (const volume of pod.spec.volumes) {
      const kind = ['certificate', 'registries'].includes(String(volume['name']))
        ? 'secret'
        : 'emptyDir';
      expect(Object.keys(volume).sort()).toEqual([kind, 'name'].sort());
    }
  });

  it('has no access to its node', () => {
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace']) {
      expect(pod.spec[field] ?? false, field).toBe(false);
    }
    expect(JSON.stringify(pod.spec)).not.toContain('hostPath');
    expect(containers.flatMap(({ ports = [] }) => ports.map((each) => each.hostPort))).not.toEqual(
      expect.arrayContaining([expect.any(Number)]),
    );
  });

  it('runs as a non-root user, with a read-only root', () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
    for (const { name, securityContext } of containers) {
      expect(securityContext, name).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    for (const { emptyDir, secret } of pod.spec.volumes) {
      if (secret === undefined) expect(emptyDir).toHaveProperty('sizeLimit');
      else expect(secret, 'nobody else reads the key').toMatchObject({ defaultMode: 0o440 });
    }
  });

  it('has limits for all resources', () => {
    for (const { name, resources } of containers) {
      expect(Object.keys(resources.limits).sort(), name).toEqual([
        'cpu',
        'ephemeral-storage',
        'memory',
      ]);
    }
  });
});

it('rejects a privileged pod in that namespace, so that the rules above are enforced', async () => {
  const { spec, metadata } = buildJob(job).spec.template;
  const careless = { ...spec, securityContext: {} };
  await expect(validateConfig({ metadata, spec: careless })).rejects.toMatchObject({
    reason: 'forbidden',
  });
});

it('passes no token to the code of the author', () => {
  const { initContainers } = buildJob(job).spec.template.spec;
  const { containers } = deployment(served).spec.template.spec;
  const theirs = [initContainers.find(({ name }) => name === 'build'), ...containers];
  for (const container of theirs) {
    expect(container).toBeDefined();
    expect(JSON.stringify(container?.env)).not.toContain('secret');
    expect(container).not.toHaveProperty('envFrom');
  }
});

it('has a valid Job, with its Secret', async () => {
  const tokens = { download: 'd', upload: 'u', types: 't' };
  const [own] = buildSecrets(job, tokens);
  const secret = await client.create(secretKind, own as KubeObject);
  const created = await client.create<KubeObject>(jobKind, buildJob(job));
  for (const { metadata } of [secret, created]) {
    expect(metadata.ownerReferences).toEqual([
      { ...job.owner, kind: 'Build', controller: true, blockOwnerDeletion: true },
    ]);
  }
  expect(created).toMatchObject({
    spec: { backoffLimit: 0, template: { spec: { activeDeadlineSeconds: 900 } } },
  });
});

it('gives the pods of a version time for its longest handler', () => {
  const podOf = (handlerSeconds?: number) =>
    deployment({ ...served, ...(handlerSeconds === undefined ? {} : { handlerSeconds }) }).spec
      .template.spec;
  expect(podOf(900)).toMatchObject({
    terminationGracePeriodSeconds: 920,
    containers: [
      {
        command: expect.arrayContaining(['--grace-ms', '900000']),
        // A dead process has no handlers to wait for.
        livenessProbe: { terminationGracePeriodSeconds: 5 },
      },
    ],
  });
  expect(podOf(30), 'no longer than the default').toEqual(podOf());
});

it('has a valid Deployment, for repeated applies', async () => {
  const secrets = deploymentSecrets(served, contents);
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) await client.create(secretKind, secret);
  const apply = (options: DeploymentOptions) =>
    client.apply<KubeObject>(deploymentKind, deployment(options), { fieldManager: 'fairlead' });
  const first = await apply(served);
  expect(first).toMatchObject({
    spec: { replicas: 2, minReadySeconds: 10 },
    metadata: { generation: 1 },
  });
  expect((await apply(served)).metadata.generation, 'Nothing is rolled out anew').toBe(1);
  const next = await apply({ ...served, version: '20260102.000000', replicas: 1 });
  expect(next).toMatchObject({
    metadata: { generation: 2 },
    spec: {
      replicas: 1,
      template: { metadata: { labels: { [label.version]: '20260102.000000' } } },
    },
  });
});

describe('with registry credentials', () => {
  const pullConfig = JSON.stringify({ auths: { 'registry.example': { auth: 'Zmlyc3Q6MQ==' } } });
  const tokens = { download: 'd', upload: 'u', types: 't' };
  const build = { ...job, name: 'pulled-build', pullConfig };
  const provided = { ...served, secretName: 'pulled-provider', pullConfig };
  const pods = {
    build: [buildSecrets(build, tokens), buildJob(build).spec.template.spec],
    provider: [
      deploymentSecrets(provided, contents).filter((each) => !isCertificate(each)),
      deployment(provided).spec.template.spec,
    ],
  } as const;

  it.each(Object.entries(pods))(
    'the pod of a %s refers to a copy of them that its owner owns',
    async (_, [secrets, spec]) => {
      const [own, copy] = await Promise.all(
        secrets.map((secret) => client.create<KubeObject>(secretKind, secret)),
      );
      expect(spec).toMatchObject({ imagePullSecrets: [{ name: copy?.metadata.name }] });
      expect(copy).toMatchObject({
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': Buffer.from(pullConfig).toString('base64') },
        metadata: { ownerReferences: own?.metadata.ownerReferences, labels: own?.metadata.labels },
      });
      // The kubelet reads it; no container does.
      expect(JSON.stringify([...spec.initContainers, ...spec.containers])).not.toContain('-pull-');
    },
  );

  it('has another name for other credentials, so that versions are rolled and old ones are kept', () => {
    const before = deploymentSecrets(provided, contents).at(-1);
    const other = { ...provided, pullConfig: '{"auths":{}}' };
    const after = deploymentSecrets(other, contents).at(-1);
    expect(after?.metadata.name).not.toBe(before?.metadata.name);
    expect(JSON.stringify(deployment({ ...provided, pullConfig: '{"auths":{}}' }))).not.toBe(
      JSON.stringify(deployment(provided)),
    );
  });
});

it('sets the npm registry in the containers that run npm', () => {
  const env = [{ name: 'npm_config_registry', value: 'https://npm.example/' }];
  const { spec } = buildJob({ ...job, npmRegistry: 'https://npm.example/' }).spec.template;
  const configured = [...spec.initContainers, ...spec.containers].filter((each) =>
    JSON.stringify(each.env).includes('npm_config_registry'),
  );
  expect(configured).toMatchObject([
    { name: 'install', env },
    { name: 'build', env },
  ]);
});

it.each([
  ['acme', '--organization=acme'],
  ['-acme', '--organization=-acme'],
  ['$(POD_IP)', '--organization=$$(POD_IP)'],
  ['a$$b', '--organization=a$$$$b'],
])('passes the organization %s unchanged, although Kubernetes expands variables', (id, want) => {
  const [serve] = deployment({ ...served, organization: id }).spec.template.spec.containers;
  expect(serve?.command).toContain(want);
});
