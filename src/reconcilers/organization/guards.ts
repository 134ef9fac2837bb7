// Pure. The guards that a tenant namespace needs before any workload, in order of creation.
import type { Organization } from '../../crds/organization.ts';
import { defaultLimits, type Limits, limitsOf } from '../../domain/limits.ts';
import type { KubeObject } from '../../kube/api.ts';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';
import { providerPort } from '../../providers/workloads/deployment.ts';
import { defaultAccount, tenantAccounts } from '../../providers/workloads/pod.ts';
import { securePort } from '../../providers/workloads/serving-certificate.ts';
import { label } from '../../store/kinds.ts';
import { type Guard, type GuardObject, guardKinds } from './guard-kinds.ts';
import { type NetworkSettings, networkPolicies } from './network-policies.ts';
import { limitRange, resourceQuota } from './quotas.ts';

/** The roles of Fairlead's two accounts in tenant namespaces, and the names of their bindings. */
export const tenantRole = 'fairlead-tenant';
export const tenantApiRole = 'fairlead-tenant-api';

interface AccountRef {
  readonly namespace: string;
  readonly name: string;
}

export interface TenancySettings extends NetworkSettings {
  /** Defaults for organizations whose object sets none. */
  readonly limits: Limits;
  /** The account with the tenant role in every namespace; undefined when it has all rights anyway. */
  readonly controllerAccount?: AccountRef | undefined;
  /** The account with the role of the API there; undefined as above. */
  readonly apiAccount?: AccountRef | undefined;
}

/** Defaults for Fairlead as a pod in its cluster, as in the chart. */
export const defaultTenancy = {
  fairleadPorts: [8_000, 8_002],
  providerPorts: [securePort, providerPort],
  clusterCidrs: [],
  outsideCidrs: [],
  limits: defaultLimits,
};

/** The labels of every tenant namespace; Pod Security is enforced before any workload can exist. */
export function namespaceLabels(): Record<string, string> {
  return {
    [label.managedBy]: 'fairlead',
    [label.organization]: 'true',
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/audit': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
}

/** The role first: its rights are needed to write all others. */
export function guardsOf({ spec }: Organization, settings: TenancySettings): readonly Guard[] {
  const limits = limitsOf(spec.limits, settings.limits);
  return [
    ...roleBinding(tenantRole, settings.controllerAccount),
    ...roleBinding(tenantApiRole, settings.apiAccount),
    ...networkPolicies(settings, limits.internet),
    resourceQuota(limits, spec.limits?.resources),
    limitRange(),
    ...[...Object.values(tenantAccounts), defaultAccount].map(serviceAccount),
  ];
}

function roleBinding(name: string, account: AccountRef | undefined): readonly Guard[] {
  if (account === undefined) return [];
  const apiGroup = guardKinds.roleBinding.group;
  const content = {
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  return [{ of: 'roleBinding', name, content }];
}

function serviceAccount(name: string): Guard {
  return { of: 'serviceAccount', name, content: { automountServiceAccountToken: false } };
}

const guardLabels = { [label.managedBy]: 'fairlead' };

/** @returns whether the object matches the guard; changes of other fields are not undone */
export function isWhole(guard: Guard, found: GuardObject | undefined): boolean {
  if (found?.metadata.labels?.[label.managedBy] !== 'fairlead') return false;
  const held = Object.fromEntries(
    Object.keys(guard.content).map((field) => [field, found[field as keyof GuardObject]]),
  );
  return canonicalJson(held as JsonValue) === canonicalJson(guard.content as JsonValue);
}

/** @returns the object to write, based on the found one, whose other fields stay */
export function guardObject(guard: Guard, namespace: string, found?: GuardObject): GuardObject {
  const { group, version, kind } = guardKinds[guard.of];
  const labels = { ...found?.metadata.labels, ...guardLabels };
  return {
    ...found,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { ...found?.metadata, name: guard.name, namespace, labels },
    ...guard.content,
  };
}

/** @returns whether Pod Security and the other labels are as required */
export function hasLabels(namespace: KubeObject | undefined): boolean {
  const held = namespace?.metadata.labels ?? {};
  return Object.entries(namespaceLabels()).every(([key, value]) => held[key] === value);
}
