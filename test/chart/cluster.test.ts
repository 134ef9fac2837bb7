// The chart on a real API server, whose schemas and admission are stricter than any copy of them: every manifest, an
// installation, its upgrade and its end. There is no kubelet: pods do not run.
import { readdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownNamespaceByName } from '../../packaging/chart-templates.ts';
import { chartFolder, type Helm } from '../../packaging/helm.ts';
import {
  isHook,
  type KubernetesObject,
  objectsIn,
  plainWorkloads,
  withoutHelm,
} from '../../packaging/plain-manifests.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { eventually } from '../support/runner/eventually.ts';
import { type OwnControlPlane, ownControlPlane } from '../support/servers/control-plane.ts';
import { rendered, requireHelm, set, withBucket } from '../support/tools/chart.ts';
import { type Kubectl, kubectlFor } from '../support/tools/kubectl.ts';

const namespace = 'fairlead-system';
const accountOf = (component: string) => `system:serviceaccount:${namespace}:fairlead-${component}`;
const controller = accountOf('controller');

/** Values to install one after the other. */
const variants = await readdir(join(chartFolder, 'ci'));

let controlPlane: OwnControlPlane;
let kubectl: Kubectl;
let helm: Helm;

beforeAll(async () => {
  helm = await requireHelm();
  controlPlane = await ownControlPlane();
  kubectl = kubectlFor(controlPlane.kubeconfig, namespace);
  await kubectl('create', 'namespace', namespace);
  const restricted = 'pod-security.kubernetes.io/enforce=restricted';
  await kubectl('label', 'namespace', namespace, restricted);
});

afterAll(() => controlPlane?.stop());

function release(verb: 'install' | 'upgrade', ...flags: readonly string[]): Promise<string> {
  return helm(
    ...[verb, 'fairlead', chartFolder, '--namespace', namespace],
    ...['--kubeconfig', controlPlane.kubeconfig, '--timeout', '1m'],
    ...flags,
  );
}

/** Applies objects, but those whose definitions belong to other products, and expects an answer for each. */
async function requireAccepted(items: readonly object[]): Promise<void> {
  const own = (items as readonly KubernetesObject[]).filter(
    ({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos.com/'),
  );
  const apply = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  // kubectl rejects objects of a namespace other than `--namespace`; one Role is in `default`.
  const byNamespace = Map.groupBy(own, ({ metadata }) => metadata.namespace ?? namespace);
  for (const [where, objects] of byNamespace) {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    const output = await kubectl.with(list, ...apply, '--namespace', where);
    expect(output.trim().split('\n').length).toBe(objects.length);
  }
}

describe('every manifest', () => {
  // A pod is admitted only if its service account exists; no controller creates `default` here.
  const accounts = ['default', 'fairlead-api', 'fairlead-controller'];
  beforeAll(async () => {
    for (const name of accounts) await kubectl('create', 'serviceaccount', name);
  });
  afterAll(() => kubectl('delete', 'serviceaccounts', ...accounts));

  it.each(variants)('%s is accepted strictly by the API server', async (file) => {
    const { objects } = await rendered(helm, '--values', join(chartFolder, 'ci', file));
    await requireAccepted(objects);
    for (const name of ['fairlead-api', 'fairlead-controller']) {
      const template = objects.find((each) => each.metadata.name === name && each.spec?.template);
      const pod = { apiVersion: 'v1', kind: 'Pod', ...template?.spec?.template };
      const named = { ...pod, metadata: { ...pod.metadata, name } };
      // Refused by Pod Security, unless it is restricted.
      await kubectl.with(named, 'create', '--dry-run=server', '-f', '-');
    }
  });
});

describe('the plain manifests', () => {
  it('equal the output of the chart without values', async () => {
    const { text, objects } = await rendered(helm);
    const built = await kubectl('kustomize', join(chartFolder, '..', '..', 'manifests'));
    const wanted = objects.filter((object) => !isHook(object));
    const plain = objectsIn(built).filter(({ kind }) => kind !== 'Namespace');
    const byName = plain.map((object) => ownNamespaceByName(object, namespace));
    expect(comparable(byName)).toEqual(comparable(wanted));
    expect(plainWorkloads(text)).not.toMatch(/helm/i);
  });

  it('can be applied with kubectl alone', async () => {
    const folder = join(chartFolder, '..', '..', 'manifests');
    const built = await kubectl('kustomize', folder);
    await requireAccepted(objectsIn(built).filter(({ kind }) => kind !== 'Namespace'));
  });
});

describe('an installation', () => {
  it('prints the evaluation warning and the first commands in its notes', async () => {
    const output = await release('install');
    expect(output).toMatch(/EVALUATION/);
    expect(output).toMatch(/WARNING: code and builds are in an emptyDir/);
    expect(output).toMatch(/port-forward deploy\/fairlead-api 8000 8001/);
    expect(output).toMatch(/main\.ts token --org acme/);
    expect(output).toMatch(/Console: +http:\/\/localhost:8000\/console\//);
    await expect(kubectl('get', 'resources', '-A')).resolves.toBeDefined();
  });

  it('lets the controller create the event key in its namespace only', async () => {
    const create = ['create', 'secret', 'generic', 'fairlead-event-key', '--from-literal=a=b'];
    const secret = (where: string) => kubectl(...create, '--namespace', where, '--as', controller);
    await expect(secret(namespace)).resolves.toMatch(/created/);
    await expect(secret('default')).rejects.toThrow(/forbidden/i);
  });

  it('gives the requests of the API a priority level of their own', async () => {
    const uid = (what: string) => kubectl('get', what, '-o', 'jsonpath={.metadata.uid}');
    const own = {
      schema: await uid('flowschema/fairlead-api'),
      level: await uid('prioritylevelconfiguration/fairlead-api'),
    };
    // The API server notices new schemas by a watch.
    await eventually(async () => expect(await classified(accountOf('api'))).toEqual(own));
    const other = {
      schema: await uid('flowschema/service-accounts'),
      level: await uid('prioritylevelconfiguration/workload-low'),
    };
    expect(await classified(controller)).toEqual(other);
  });

  it('is upgraded with resources in it, and changes neither them nor the key', async () => {
    await kubectl('create', 'namespace', 'fl-acme-0123456789ab');
    await kubectl.with(
      {
        apiVersion: 'fairlead.dev/v1alpha1',
        kind: 'Organization',
        metadata: { name: 'fl-acme-0123456789ab' },
        spec: { issuer: 'https://id.example.org', externalId: 'acme' },
      },
      ...['create', '-f', '-'],
    );
    const kept = () =>
      Promise.all([
        kubectl('get', 'organization', 'fl-acme-0123456789ab', '-o', 'json'),
        kubectl('get', 'secret', 'fairlead-event-key', '-o', 'json'),
        kubectl('get', 'crd', 'resources.fairlead.dev', '-o', 'jsonpath={.metadata.uid}'),
      ]);
    const before = await kept();
    const onVolume = await release('upgrade', ...set('artifacts.volume.enabled', true));
    expect(onVolume).toMatch(/EVALUATION/);
    expect(onVolume).not.toMatch(/emptyDir/);
    const output = await release('upgrade', ...withBucket);
    expect(output).not.toMatch(/EVALUATION|emptyDir/);
    expect(output).toMatch(/first three commands/);
    expect(await kept()).toEqual(before);
    const replicas = ['get', 'deployment', 'fairlead-api', '-o', 'jsonpath={.spec.replicas}'];
    expect(await kubectl(...replicas)).toBe('2');
  });

  it('keeps definitions, organizations and the key on uninstall, and can be installed again', async () => {
    const flags = ['--namespace', namespace, '--kubeconfig', controlPlane.kubeconfig];
    await helm('uninstall', 'fairlead', ...flags);
    await expect(kubectl('get', 'deployment', 'fairlead-api')).rejects.toThrow(/not found/i);
    for (const what of ['organization/fl-acme-0123456789ab', 'secret/fairlead-event-key']) {
      await expect(kubectl('get', what)).resolves.toBeDefined();
    }
    await expect(release('install', ...withBucket)).resolves.toMatch(/is installed/);
  });
});

/** Returns how the API server classifies the requests of an account for its queues. */
async function classified(account: string): Promise<{ schema: unknown; level: unknown }> {
  const { server, tls, authHeaders } = loadCluster(controlPlane);
  const path = '/apis/fairlead.dev/v1alpha1/namespaces/fl-acme-0123456789ab/resources';
  const headersOfAccount = {
    ...(await authHeaders()),
    'impersonate-user': account,
    'impersonate-group': 'system:serviceaccounts',
  };
  const { headers } = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { ...tls, agent: false, headers: headersOfAccount };
    get(`${server}${path}`, options, (answer) => resolve(answer.resume())).on('error', reject);
  });
  return {
    schema: headers['x-kubernetes-pf-flowschema-uid'],
    level: headers['x-kubernetes-pf-prioritylevel-uid'],
  };
}

/** By name, without labels that only identify the origin. */
function comparable(objects: readonly KubernetesObject[]): Record<string, unknown> {
  const origin = [
    'app.kubernetes.io/name',
    'app.kubernetes.io/part-of',
    'app.kubernetes.io/version',
  ];
  return Object.fromEntries(
    objects.map((object) => {
      const { metadata, ...rest } = withoutHelm(object);
      const { labels = {}, annotations = {}, ...named } = metadata;
      const other = Object.entries(labels).filter(([key]) => !origin.includes(key));
      const key = [object.kind, metadata.namespace, metadata.name].join('/');
      return [
        key,
        { ...rest, metadata: { ...named, annotations, labels: Object.fromEntries(other) } },
      ];
    }),
  );
}
