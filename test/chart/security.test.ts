// Permissions of the accounts, and restrictions of the pods.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Helm } from '../../packaging/helm.ts';
import {
  type ChartObject,
  type PodSpec,
  type Rendered,
  rendered,
  requireHelm,
  set,
  withBucket,
} from '../support/tools/chart.ts';

let helm: Helm;
let releases: readonly Rendered[];

beforeAll(async () => {
  helm = await requireHelm();
  releases = [
    await rendered(helm),
    await rendered(helm, ...withBucket, ...set('tests.tokenSecret', 'check')),
  ];
});

function podsOf({ objects }: Rendered): { name: string; pod: PodSpec }[] {
  return objects.flatMap((object) => {
    const { kind, metadata, spec } = object;
    const pod = kind === 'Pod' ? (spec as unknown as PodSpec) : spec?.template?.spec;
    return pod === undefined ? [] : [{ name: metadata.name, pod }];
  });
}

it('runs every pod under the restricted standard, with a read-only root', () => {
  for (const release of releases) {
    const pods = podsOf(release);
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'fairlead-api',
      'fairlead-check',
      'fairlead-controller',
    ]);
    for (const { name, pod } of pods) {
      expect(pod.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of pod.containers) {
        expect(container.securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources?.limits, name).toHaveProperty('memory');
      }
    }
  }
});

it('mounts no host path', () => {
  for (const release of releases) {
    const volumes = podsOf(release).flatMap(({ pod }) => pod.volumes ?? []);
    const sources = volumes
      .flatMap((volume) => Object.keys(volume))
      .filter((key) => key !== 'name');
    expect(new Set(sources)).not.toContain('hostPath');
  }
});

describe('permissions', () => {
  const roles = ({ objects }: Rendered) =>
    objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');

  it('contain no wildcard, no escalation and no exec into pods', () => {
    const all = releases.flatMap(roles);
    expect(all.length).toBeGreaterThan(4);
    for (const { metadata, rules = [] } of all) {
      expect(rules.flatMap(Object.values).flat(), metadata.name).not.toContain('*');
      const verbs = rules.flatMap((rule) => rule['verbs'] ?? []);
      for (const verb of ['escalate', 'impersonate', 'deletecollection']) {
        expect(verbs, metadata.name).not.toContain(verb);
      }
      const resources = rules.flatMap((rule) => rule['resources'] ?? []);
      for (const resource of ['pods/exec', 'pods/attach', 'serviceaccounts/token']) {
        expect(resources, metadata.name).not.toContain(resource);
      }
    }
  });

  it('of users cover resources, but neither provider code nor endpoints', async () => {
    const { objects } = await rendered(helm);
    const aggregated = objects.filter(({ metadata }) =>
      Object.keys(metadata.labels ?? {}).some((key) => key.includes('/aggregate-to-')),
    );
    expect(aggregated.map(({ metadata }) => metadata.name)).toEqual([
      'fairlead-view',
      'fairlead-edit',
    ]);
    const writing = aggregated
      .flatMap(({ rules = [] }) => rules)
      .filter((rule) => rule['verbs']?.some((verb) => !['get', 'list', 'watch'].includes(verb)));
    expect(writing.flatMap((rule) => rule['resources'])).toEqual(['resources', 'providers/scale']);
  });

  it('of users with `view` exclude configs and outputs', async () => {
    const { get } = await rendered(helm);
    const resourcesOf = (name: string) =>
      (get('ClusterRole', name).rules ?? []).flatMap((rule) => rule['resources']);
    expect(resourcesOf('fairlead-view')).not.toContain('resources');
    const viewer = get('ClusterRole', 'fairlead-resource-viewer');
    expect(Object.keys(viewer.metadata.labels ?? {}).join()).not.toContain('/aggregate-to-');
    expect(viewer.rules).toEqual([
      { apiGroups: ['fairlead.dev'], resources: ['resources'], verbs: ['get', 'list', 'watch'] },
    ]);
  });

  it('bind only two roles, by name', () => {
    const binds = releases
      .flatMap(roles)
      .flatMap(({ rules = [] }) => rules)
      .filter((rule) => rule['verbs']?.includes('bind'));
    for (const rule of binds)
      expect(rule['resourceNames']).toEqual(['fairlead-tenant', 'fairlead-tenant-api']);
    expect(binds.length).toBeGreaterThan(0);
  });

  it('bind only the two service accounts in the namespace of the release', async () => {
    const elsewhere = await rendered(helm, '--namespace', 'platform');
    const bindings = elsewhere.objects.filter(({ kind }) => kind.endsWith('RoleBinding'));
    const subjects = bindings.flatMap(
      (binding: ChartObject & { subjects?: readonly unknown[] }) => binding.subjects ?? [],
    );
    expect(subjects.length).toBeGreaterThan(2);
    for (const subject of subjects) {
      expect(subject).toMatchObject({
        kind: 'ServiceAccount',
        name: expect.stringMatching(/^fairlead-(api|controller)$/),
        namespace: 'platform',
      });
    }
    expect(elsewhere.text).not.toContain('fairlead-system');
  });

  it('give the API a Secret in evaluation mode only, and never the event key', async () => {
    const key = set('keys.existingSecret', 'own-key');
    const inUse = await rendered(helm, ...withBucket, ...key);
    expect(inUse.find('Role', 'fairlead-evaluation')).toBeUndefined();
    const evaluation = (await rendered(helm)).get('Role', 'fairlead-evaluation');
    expect(evaluation.rules).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['fairlead-evaluation-issuer'],
      verbs: ['get'],
    });
    const { subjects } = inUse.get('RoleBinding', 'fairlead-existing-key') as unknown as {
      subjects: readonly { name: string }[];
    };
    expect(subjects.map(({ name }) => name)).toEqual(['fairlead-controller']);
    const ofApi = ['ClusterRole', 'Role'].flatMap(
      (kind) => inUse.get(kind, 'fairlead-api').rules ?? [],
    );
    const ofSecrets = ofApi.filter(({ resources }) => resources?.includes('secrets'));
    expect(ofSecrets.map(({ verbs, resourceNames }) => ({ verbs, resourceNames }))).toEqual([
      { verbs: ['get'], resourceNames: ['fairlead-plan-key'] },
    ]);
    expect(inUse.environment('fairlead-api')).not.toHaveProperty('FAIRLEAD_EVENT_KEY_SECRET');
    expect(inUse.environment('fairlead-controller')).toMatchObject({
      FAIRLEAD_EVENT_KEY_SECRET: 'own-key',
    });
  });

  it('are restricted by admission policies with the namespace of the release', () => {
    for (const { objects } of releases) {
      const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
      const names = policies.map(({ metadata }) => metadata.name);
      expect(names.length).toBeGreaterThan(4);
      for (const name of names) {
        const bound = objects.some(
          ({ kind, metadata }) =>
            kind === 'ValidatingAdmissionPolicyBinding' && metadata.name === name,
        );
        expect(bound, name).toBe(true);
      }
      // The namespace was created by the user who installs the chart, and has no label of Fairlead.
      expect(JSON.stringify(policies)).not.toContain('fairlead.dev/system');
    }
  });
});

it('mounts the token of the check from a Secret, and no service account token', () => {
  const [, inUse] = releases;
  const check = inUse?.get('Pod', 'fairlead-check').spec;
  expect(check).toMatchObject({ automountServiceAccountToken: false });
  expect(JSON.stringify(check)).toContain('"secretName":"check"');
});

describe('network policies', () => {
  it('open artifacts to tenants and controllers only', async () => {
    const { get } = await rendered(helm);
    const { ingress } = get('NetworkPolicy', 'fairlead-api').spec as unknown as {
      ingress: readonly { ports: readonly { port: string }[]; from?: readonly unknown[] }[];
    };
    const internal = ingress.find(({ ports }) => ports.some(({ port }) => port === 'internal'));
    expect(internal?.from).toHaveLength(2);
  });

  it('keep the API reachable for tenant pods when it is closed to others', async () => {
    const only = '[{"namespaceSelector":{"matchLabels":{"team":"edge"}}}]';
    const { get } = await rendered(helm, '--set-json', `networkPolicy.apiFrom=${only}`);
    const spec = JSON.stringify(get('NetworkPolicy', 'fairlead-api').spec);
    expect(spec).toContain('"team":"edge"');
    expect(spec.match(/"fairlead.dev\/organization":"true"/g)).toHaveLength(2);
  });
});
