// The guards of a tenant's namespace, on a real API server and with Fairlead's own permissions: they exist before any workload, and
// are restored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { contains } from '../../../src/lib/cidr.ts';
import {
  type GuardKind,
  type GuardObject,
  guardKinds,
} from '../../../src/reconcilers/organization/guard-kinds.ts';
import { jobKind } from '../../../src/reconcilers/workloads.ts';
import { kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { push, pushed } from '../../support/fixtures/code/provider-code.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const sliceKind: KindRef = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};
/** The EndpointSlice of the API server; the shared API server creates none. */
const slice = { namespace: 'default', name: 'kubernetes' };
const organization = 'guarded';
let api: ServedApi;
let acme: ApiCaller;
let admin: StreamingClient;
let namespace: string;

beforeAll(async () => {
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  await admin.create(sliceKind, {
    metadata: slice,
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.4.9'] }],
  } as KubeObject);
  api = await serveApi({
    parallelBuilds: 2,
    clusterCidrs: ['2001:DB8:1::7/48', '192.0.3.77/24', '10.1.0.0/16'],
  });
  acme = await api.caller(organization);
  namespace = organizationOf(api.issuer.url, organization).namespace;
  expect((await acme.get('/resources/')).status).toBe(200);
});

afterAll(async () => {
  await admin?.delete(sliceKind, slice);
  await admin?.close();
  await api?.close();
});

const guards: readonly (readonly [GuardKind, string])[] = [
  ['roleBinding', 'fairlead-tenant'],
  ['networkPolicy', 'fairlead-default-deny'],
  ['networkPolicy', 'fairlead-events'],
  ['networkPolicy', 'fairlead-dns'],
  ['networkPolicy', 'fairlead-artifacts'],
  ['networkPolicy', 'fairlead-internet'],
  ['resourceQuota', 'fairlead'],
  ['limitRange', 'fairlead'],
  ['serviceAccount', 'fairlead-build'],
  ['serviceAccount', 'fairlead-provider'],
  ['serviceAccount', 'default'],
];

const guard = (of: GuardKind, name: string) =>
  admin.get<GuardObject>(guardKinds[of], { namespace, name });

describe('the namespace of a tenant', () => {
  it.each(guards)('[K06] restores its %s %s after a deletion', async (of, name) => {
    const { uid } = (await guard(of, name)).metadata;
    await admin.delete(guardKinds[of], { namespace, name });
    await eventually(async () => {
      expect((await guard(of, name)).metadata.uid).not.toBe(uid);
    });
  });

  it('[K22] blocks pods from the platform and the cluster, with policies that existed before', async () => {
    const name = 'fairlead-internet';
    const exceptions = async () => {
      const { spec } = await guard('networkPolicy', name);
      const { egress } = spec as { egress: { to: { ipBlock: { except: string[] } }[] }[] };
      return (egress[0]?.to ?? []).flatMap(({ ipBlock }) => ipBlock.except);
    };
    const covered = (all: readonly string[], cidr: string) =>
      all.some((each) => contains(each, cidr));
    const wanted = [
      ...['168.63.129.16/32', '169.254.0.0/16', '192.0.3.0/24', '192.0.4.9/32'],
      ...['2001:db8:1::/48', 'fd00:ec2::254/128', 'fe80::/10', '64:ff9b::a83f:8110/128'],
    ];
    const all = await exceptions();
    expect(wanted.filter((cidr) => !covered(all, cidr))).toEqual([]);
    // Without addresses of the cluster and of the cloud.
    const private4 = ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
    const blocks = [
      { ipBlock: { cidr: '0.0.0.0/0', except: private4 } },
      { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
    ];
    await admin.patch(
      guardKinds.networkPolicy,
      { namespace, name },
      { spec: { egress: [{ to: blocks }] } },
    );
    await eventually(async () => expect(await exceptions()).toEqual(all));
    // Written once: what is compared is spelled as the API server spells it.
    const { generation } = (await guard('networkPolicy', name)).metadata;
    await admin.patch(
      guardKinds.networkPolicy,
      { namespace, name },
      { metadata: { annotations: { seen: 'true' } } },
    );
    await admin.delete(guardKinds.limitRange, { namespace, name: 'fairlead' });
    await eventually(() => guard('limitRange', 'fairlead'));
    expect((await guard('networkPolicy', name)).metadata.generation).toBe(generation);
  });

  it('[K06] restores a policy after a change', async () => {
    const name = 'fairlead-default-deny';
    await admin.patch(
      guardKinds.networkPolicy,
      { namespace, name },
      { spec: { ingress: [{}], egress: [{}] } },
    );
    await eventually(async () => {
      expect((await guard('networkPolicy', name)).spec).toEqual({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
    });
  });

  it('[K06] mounts no token of its default account, also after a change', async () => {
    const name = 'default';
    expect(await guard('serviceAccount', name)).toMatchObject({
      automountServiceAccountToken: false,
    });
    const wanted = { automountServiceAccountToken: true };
    await admin.patch(guardKinds.serviceAccount, { namespace, name }, wanted);
    await eventually(async () => {
      expect(await guard('serviceAccount', name)).toMatchObject({
        automountServiceAccountToken: false,
      });
    });
  });

  it('[K06] restores a guard whose label was removed', async () => {
    const metadata = { labels: { 'app.kubernetes.io/managed-by': null } };
    await admin.patch(guardKinds.limitRange, { namespace, name: 'fairlead' }, { metadata });
    await eventually(async () => {
      const { labels } = (await guard('limitRange', 'fairlead')).metadata;
      expect(labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'fairlead' });
    });
  });

  it('[K06] restores a binding whose role was changed', async () => {
    const name = 'fairlead-tenant';
    const { subjects, metadata } = await guard('roleBinding', name);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await admin.delete(guardKinds.roleBinding, { namespace, name });
    const labels = metadata.labels ?? {};
    await admin
      .create(guardKinds.roleBinding, {
        metadata: { name, namespace, labels },
        subjects,
        roleRef,
      } as KubeObject)
      .catch(() => undefined);
    await eventually(async () => {
      expect((await guard('roleBinding', name)).roleRef).toMatchObject({ name });
    });
  });

  it('[K06] enforces Pod Security again after its label was removed', async () => {
    const key = 'pod-security.kubernetes.io/enforce';
    const metadata = { labels: { [key]: null } };
    await admin.patch(namespaceKind, { name: namespace }, { metadata });
    await eventually(async () => {
      const found = await admin.get<KubeObject>(namespaceKind, { name: namespace });
      expect(found.metadata.labels).toMatchObject({ [key]: 'restricted' });
    });
  });

  it('uses the limits of its organization', async () => {
    const spec = { limits: { pods: 7, internet: false } };
    await admin.patch(kinds.organization, { name: namespace }, { spec });
    await eventually(async () => {
      expect((await guard('resourceQuota', 'fairlead')).spec).toMatchObject({
        hard: { pods: '7' },
      });
      expect((await guard('networkPolicy', 'fairlead-internet')).spec).toEqual({
        podSelector: {},
        policyTypes: ['Egress'],
      });
    });
  });
});

/** Permits network policies in this namespace only to administrators. @returns a function that removes the restriction */
async function forbidPolicies(): Promise<() => Promise<void>> {
  const name = `no-policies-${namespace}`;
  const group = 'admissionregistration.k8s.io';
  const kindOf = (kind: string, plural: string): KindRef => ({
    ...{ group, version: 'v1', kind, plural },
    namespaced: false,
  });
  const policy = kindOf('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
  const binding = kindOf('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings');
  const rule = {
    apiGroups: ['networking.k8s.io'],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['networkpolicies'],
  };
  await admin.create(policy, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `request.namespace != '${namespace}'` }],
    },
  } as KubeObject);
  await admin.create(binding, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  } as KubeObject);
  const probe = { namespace, name: 'probe' };
  await eventually(async () => {
    const refused = await admin
      .create(guardKinds.networkPolicy, {
        metadata: probe,
        spec: { podSelector: {} },
      } as KubeObject)
      .catch((thrown: unknown) => thrown);
    await admin.delete(guardKinds.networkPolicy, probe);
    expect(String(refused)).toContain(name);
  }, 20_000);
  return async () => {
    await admin.delete(binding, { name });
    await admin.delete(policy, { name });
  };
}

describe('a push', () => {
  it('[K04] runs nothing while a guard is missing, names it, and runs when it is restored', async () => {
    const allow = await forbidPolicies();
    const held = { namespace, name: 'fairlead-dns' };
    await admin.delete(guardKinds.networkPolicy, held);
    let name = '';
    try {
      ({ job_name: name } = pushed(await push(acme, 'box')));
      await eventually(async () => {
        const { status } = await admin.get<Build>(kinds.build, { namespace, name });
        expect(status?.conditions?.[0]).toMatchObject({
          reason: 'GuardsMissing',
          message: 'networkPolicy fairlead-dns is missing or was modified',
        });
      });
      const jobs = await admin.list(jobKind, { namespace });
      expect(jobs.items).toEqual([]);
    } finally {
      await allow();
    }
    await eventually(() => admin.get(jobKind, { namespace, name }), 60_000);
    await guard('networkPolicy', 'fairlead-dns');
  });

  it('is not started for a suspended organization', async () => {
    const { job_name: name } = pushed(await push(acme, 'crate'));
    await eventually(() => admin.get(jobKind, { namespace, name }));
    await admin.patch(kinds.organization, { name: namespace }, { spec: { suspended: true } });
    await eventually(async () => {
      expect((await acme.get('/resources/')).status).toBe(403);
    });
    const job = await admin.get(jobKind, { namespace, name });
    expect(job.metadata.deletionTimestamp, 'what runs may end').toBeUndefined();
  });
});
