// Parts of the pods of builds and providers that administrators and authors set.
import { expect, it } from 'vitest';
import { unsupportedPart } from '../../../src/dev/node/pod.ts';
import { type BuildJobOptions, buildJob } from '../../../src/providers/workloads/build-job.ts';
import { type DeploymentOptions, deployment } from '../../../src/providers/workloads/deployment.ts';
import { disruptionBudget } from '../../../src/providers/workloads/disruption.ts';
import { label } from '../../../src/store/kinds.ts';

const common = {
  namespace: 'fl-a',
  provider: 'shop',
  image: 'fairlead:1',
  artifactsUrl: 'http://a',
};
const owner = { apiVersion: 'fairlead.dev/v1alpha1', name: 'shop', uid: 'u' };
const job: BuildJobOptions = {
  ...common,
  name: 'shop-1',
  labels: { [label.provider]: 'shop', [label.build]: 'shop-1' },
  owner,
  sourceDigest: 'sha256:a',
  deadlineSeconds: 900,
};
const served: DeploymentOptions = {
  ...common,
  name: 'provider-shop',
  labels: { [label.provider]: 'shop' },
  owner,
  organization: 'acme',
  version: '20260101.000000',
  replicas: 2,
  fairleadUrl: 'http://f',
  minReadySeconds: 10,
  artifactDigest: 'sha256:a',
  secretName: 'provider-shop-1',
  certificate: { secretName: 'tls', authority: 'a', expiresAt: '2026-04-01T00:00:00.000Z' },
};
const podOf = ({ spec }: { spec: { template: { spec: object } } }) => spec.template.spec;
/** Not of builds, which have the label of their provider. */
const pods = {
  matchLabels: served.labels,
  matchExpressions: [{ key: label.version, operator: 'Exists' }],
};

it('spreads the pods of one rollout over zones and nodes', () => {
  const constraint = (topologyKey: string) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway',
    matchLabelKeys: ['pod-template-hash'],
    labelSelector: pods,
  });
  const keys = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];
  expect(podOf(deployment(served))).toMatchObject({
    topologySpreadConstraints: keys.map(constraint),
  });
  const one = podOf(deployment({ ...served, replicas: 1 }));
  expect(one, 'Another number of pods replaces none').toEqual(podOf(deployment(served)));
});

it('lets a drain evict one pod at a time, and those that serve nothing at any time', () => {
  expect(disruptionBudget(served)).toMatchObject({
    metadata: { name: served.name, ownerReferences: [{ ...owner, kind: 'Provider' }] },
    spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: pods },
  });
});

it('requests and limits what the Provider says', () => {
  const resources = { requests: { cpu: '0.5' }, limits: { memory: '1Gi' } };
  const [serve] = deployment({ ...served, resources }).spec.template.spec.containers;
  expect(serve?.resources).toEqual({
    requests: { cpu: '0.5', memory: '64Mi' },
    limits: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' },
  });
});

it('has the scheduling of the administrator in builds and providers', () => {
  const scheduling = {
    runtimeClassName: 'gvisor',
    priorityClassName: 'tenants',
    nodeSelector: { pool: 'tenants' },
    tolerations: [{ key: 'tenants', operator: 'Exists' }],
  };
  expect(podOf(buildJob({ ...job, scheduling }))).toEqual({
    ...podOf(buildJob(job)),
    ...scheduling,
  });
  expect(podOf(deployment({ ...served, scheduling }))).toEqual({
    ...podOf(deployment(served)),
    ...scheduling,
  });
});

it('mounts the registries of the organization for the installation, and for nothing else', () => {
  const { initContainers, containers } = buildJob(job).spec.template.spec;
  const mounting = [...initContainers, ...containers].filter((each) =>
    each.volumeMounts.some(({ name }) => name === 'registries'),
  );
  expect(mounting.map(({ name }) => name)).toEqual(['install']);
  expect(mounting[0]?.command).toContain('/run/fairlead/registries');
});

it('makes no pod that the local node refuses', () => {
  const scheduling = { nodeSelector: { pool: 'tenants' }, tolerations: [] };
  const every = { pullConfig: '{}', scheduling };
  const settings = { secretName: 's', names: ['a'], revision: '1', isForeign: true };
  const builds = [job, { ...job, ...every, npmRegistry: 'http://n' }].map(buildJob);
  const deployments = [
    deployment(served),
    deployment({ ...served, ...every, settings, handlerSeconds: 900, resources: {} }),
  ];
  for (const each of [...builds, ...deployments]) {
    // The API server adds the policy to the pods of a Deployment.
    expect(unsupportedPart({ restartPolicy: 'Always', ...podOf(each) })).toBeUndefined();
  }
});
