import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Organization } from '../../../../src/crds/organization.ts';
import { neverReached } from '../../../../src/domain/addresses.ts';
import { defaultLimits } from '../../../../src/domain/limits.ts';
import {
  canonical,
  guardObject,
  guardsOf,
  isWholeGuard,
  type TenancySettings,
} from '../../../../src/reconcilers/organization/guards.ts';

const settings: TenancySettings = {
  systemNamespace: 'fairlead-system',
  fairleadPorts: [8000, 8002],
  outsideCidrs: [],
  limits: defaultLimits,
  clusterCidrs: ['203.0.113.0/24', '2001:db8::/32'],
};
const controllerAccount = { namespace: 'fairlead-system', name: 'fairlead-controller' };
const namespace = 'fl-acme-0123456789ab';

function organization(limits?: Organization['spec']['limits']): Organization {
  const spec = { issuer: 'https://issuer', externalId: 'acme', ...(limits && { limits }) };
  return { metadata: { name: namespace }, spec };
}

function named(name: string, limits?: Organization['spec']['limits']) {
  const found = guardsOf(organization(limits), settings).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no guard ${name}`);
  return found;
}

describe('the guards of a namespace', () => {
  it('have this order, the role that permits the others first', () => {
    const kinds = guardsOf(organization(), { ...settings, controllerAccount }).map(({ of }) => of);
    expect([...new Set(kinds)]).toEqual([
      'roleBinding',
      'networkPolicy',
      'resourceQuota',
      'limitRange',
      'serviceAccount',
    ]);
  });

  it('grant no role where none is needed', () => {
    expect(guardsOf(organization(), settings).map(({ of }) => of)).not.toContain('roleBinding');
  });

  it('bind one account to one role', () => {
    const [first] = guardsOf(organization(), { ...settings, controllerAccount });
    expect(first).toMatchObject({
      content: {
        roleRef: { kind: 'ClusterRole', name: 'fairlead-tenant' },
        subjects: [{ kind: 'ServiceAccount', ...controllerAccount }],
      },
    });
  });

  it('bind the API to its own role, second, so that the controller has its permissions first', () => {
    const apiAccount = { namespace: 'fairlead-system', name: 'fairlead-api' };
    const [, second] = guardsOf(organization(), { ...settings, controllerAccount, apiAccount });
    expect(second).toMatchObject({
      name: 'fairlead-tenant-api',
      content: {
        roleRef: { kind: 'ClusterRole', name: 'fairlead-tenant-api' },
        subjects: [{ kind: 'ServiceAccount', ...apiAccount }],
      },
    });
  });

  it('deny all traffic and then allow what is listed', () => {
    expect(named('fairlead-default-deny').content).toEqual({
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    });
    expect(named('fairlead-events').content).toMatchObject({
      spec: { ingress: [{ ports: [{ port: 8443 }] }] },
    });
  });

  it.each([
    '169.254.0.0/16',
    '10.0.0.0/8',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '203.0.113.0/24',
    'fe80::/10',
    '2001:db8::/32',
  ])('never allow a pod to reach %s', (cidr) => {
    expect(JSON.stringify(named('fairlead-internet').content)).toContain(`"${cidr}"`);
  });

  interface Peer {
    readonly ipBlock: { readonly cidr: string; readonly except: readonly string[] };
  }

  /** As a network plugin decides: by the block of the IP version, without its exceptions. */
  function letThrough(address: string): boolean {
    const { spec } = named('fairlead-internet').content as { spec: { egress: { to: Peer[] }[] } };
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    const inRange = (cidr: string) => {
      if (cidr.includes(':') !== address.includes(':')) return false;
      const [start = '', length] = cidr.split('/');
      const list = new BlockList();
      list.addSubnet(start, Number(length), family);
      return list.check(address, family);
    };
    return (spec.egress[0]?.to ?? []).some(
      ({ ipBlock }) => inRange(ipBlock.cidr) && !ipBlock.except.some(inRange),
    );
  }

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '192.0.0.192',
    '100.100.100.200',
    '127.0.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '240.0.0.1',
    '203.0.113.9',
    '224.0.0.1',
    'fe80::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::1',
    '::',
    '::169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b::10.1.2.3',
    '64:ff9b::203.0.113.9',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:db8::7',
    'ff02::1',
  ])('[K22] block a pod from %s', (address) => {
    expect(letThrough(address)).toBe(false);
  });

  it.each(['93.184.216.34', '168.63.129.17', '2606:4700::1', '64:ff9b::93.184.216.34'])(
    'allow a pod to reach %s',
    (address) => {
      expect(letThrough(address)).toBe(true);
    },
  );

  it('[K22] block a pod from the addresses that events are never sent to', () => {
    for (const cidr of neverReached) {
      const [address = ''] = cidr.split('/');
      expect(letThrough(address), cidr).toBe(false);
    }
  });

  it('allow both directions for a Fairlead outside the cluster only', () => {
    const outside = { ...settings, outsideCidrs: ['192.0.2.7/32'] };
    const opened = guardsOf(organization(), outside).filter(({ content }) =>
      JSON.stringify(content).includes('192.0.2.7/32'),
    );
    expect(opened.map(({ name }) => name)).toEqual(['fairlead-events', 'fairlead-artifacts']);
  });

  it('allow only the port of a private registry for builds, also without internet', () => {
    const npmRegistry = { cidrs: ['10.1.2.0/24'], port: 4873 };
    const policies = guardsOf(organization({ internet: false }), { ...settings, npmRegistry });
    const opened = policies.filter(({ content }) => JSON.stringify(content).includes('10.1.2.0'));
    expect(opened).toMatchObject([{ name: 'fairlead-artifacts' }]);
    const rule = { to: [{ ipBlock: { cidr: '10.1.2.0/24' } }] };
    expect(opened[0]?.content).toMatchObject({
      spec: { egress: [{}, { ...rule, ports: [{ port: 4873, protocol: 'TCP' }] }] },
    });
  });

  it('block the internet for an organization without permission', () => {
    expect(named('fairlead-internet', { internet: false }).content).toEqual({
      spec: { podSelector: {}, policyTypes: ['Egress'] },
    });
  });

  it('take the limits of the organization over the defaults', () => {
    expect(named('fairlead', { pods: 3, memory: '1024Mi', resources: 5 }).content).toMatchObject({
      spec: {
        hard: {
          pods: '3',
          'limits.memory': '1Gi',
          'limits.cpu': '100',
          'count/resources.fairlead.dev': '5',
          // Dead letters and receipts, and a history of each resource.
          'count/configmaps': '20005',
        },
      },
    });
  });

  it('use the default limits where an organization has none, and count resources in the API', () => {
    const limits = { ...defaultLimits, pods: 9, internet: false };
    const guards = guardsOf(organization({ jobs: 4 }), { ...settings, limits });
    const hard = { pods: '9', 'count/jobs.batch': '4' };
    const quota = guards.find(({ of }) => of === 'resourceQuota')?.content;
    expect(quota).toMatchObject({ spec: { hard } });
    expect(JSON.stringify(quota)).not.toContain('count/resources');
    expect(guards.find(({ name }) => name === 'fairlead-internet')?.content).toEqual({
      spec: { podSelector: {}, policyTypes: ['Egress'] },
    });
  });

  it.each([
    ['1024Mi', '1Gi'],
    ['1048576Mi', '1Ti'],
    ['1500Mi', '1500Mi'],
    ['200Gi', '200Gi'],
    ['2048Ti', '2Pi'],
    [20_000, '20k'],
    [1_500, '1500'],
    [1_000_000, '1M'],
  ])('format %s like the API server: %s', (quantity, want) => {
    expect(canonical(quantity)).toBe(want);
  });
});

describe('a guard', () => {
  const deny = named('fairlead-default-deny');
  const made = guardObject(deny, namespace);

  it('is intact when equal', () => {
    expect(isWholeGuard(deny, made)).toBe(true);
  });

  it('is not intact when it is missing, weakened, or without our label', () => {
    const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}] };
    expect(isWholeGuard(deny, undefined)).toBe(false);
    expect(isWholeGuard(deny, { ...made, spec })).toBe(false);
    expect(isWholeGuard(deny, { ...made, metadata: { ...made.metadata, labels: {} } })).toBe(false);
  });

  it('keeps fields of other writers when it is restored', () => {
    const account = named('fairlead-build');
    const metadata = { name: account.name, namespace, resourceVersion: '7', labels: { team: 'a' } };
    const secrets = [{ name: 'pull' }];
    const found = { metadata, automountServiceAccountToken: true, imagePullSecrets: secrets };
    expect(guardObject(account, namespace, found)).toMatchObject({
      metadata: { resourceVersion: '7', labels: { team: 'a' } },
      automountServiceAccountToken: false,
      imagePullSecrets: secrets,
    });
  });
});
