// Pure. The guards that a tenant namespace needs before any workload, in order of creation.
import type { Organization } from '../../crds/organization.ts';
import { defaultLimits, type Limits, limitsOf } from '../../domain/limits.ts';
import { containerMax } from '../../domain/providers/pod-resources.ts';
import type { KubeObject } from '../../kube/api.ts';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';
import { defaultAccount, tenantAccounts } from '../../providers/workloads/pod.ts';
import { label } from '../../store/kinds.ts';
import { type Guard, type GuardObject, guardKinds } from './guard-kinds.ts';
import { type NetworkSettings, networkPolicies } from './network-policies.ts';

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
    ...roleBindingGuards(tenantRole, settings.controllerAccount),
    ...roleBindingGuards(tenantApiRole, settings.apiAccount),
    ...networkPolicies(settings, limits.internet),
    resourceQuota(limits, spec.limits?.resources),
    limitRange(),
    ...[...Object.values(tenantAccounts), defaultAccount].map(serviceAccountGuard),
  ];
}

function roleBindingGuards(name: string, account: AccountRef | undefined): readonly Guard[] {
  if (account === undefined) return [];
  const apiGroup = guardKinds.roleBinding.group;
  const content = {
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  return [{ of: 'roleBinding', name, content }];
}

function serviceAccountGuard(name: string): Guard {
  return { of: 'serviceAccount', name, content: { automountServiceAccountToken: false } };
}

const guardLabels = { [label.managedBy]: 'fairlead' };

/** @returns whether the object matches the guard; changes of other fields are not undone */
export function isWholeGuard(guard: Guard, found: GuardObject | undefined): boolean {
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

// Builds the ResourceQuota of a tenant namespace and the LimitRange for its containers.

/**
 * @param counted maximum number of Resource objects that Kubernetes admits, from any writer. Only on request: for
 * minutes after the definitions are installed, Kubernetes cannot count them and rejects all.
 */
function resourceQuota(limits: Limits, counted?: number): Guard {
  const cpu = canonical(limits.cpu);
  const memory = canonical(limits.memory);
  const storage = canonical(limits.ephemeralStorage);
  const hard = {
    pods: canonical(limits.pods),
    'count/jobs.batch': canonical(limits.jobs),
    // Histories of resources must take no room from dead letters, without which nothing fails.
    'count/configmaps': canonical(limits.configMaps + limits.resources),
    'limits.cpu': cpu,
    'requests.cpu': cpu,
    'limits.memory': memory,
    'requests.memory': memory,
    'limits.ephemeral-storage': storage,
    'requests.ephemeral-storage': storage,
    ...(counted === undefined ? {} : { 'count/resources.fairlead.dev': canonical(counted) }),
  };
  return { of: 'resourceQuota', name: 'fairlead', content: { spec: { hard } } };
}

/** Our containers set their own requests; these apply to foreign containers beside them. */
export function limitRange(): Guard {
  const limits = [
    {
      type: 'Container',
      default: { cpu: '1', memory: '512Mi', 'ephemeral-storage': '1Gi' },
      defaultRequest: { cpu: '50m', memory: '64Mi', 'ephemeral-storage': '64Mi' },
      max: { ...containerMax, 'ephemeral-storage': '32Gi' },
    },
  ];
  return { of: 'limitRange', name: 'fairlead', content: { spec: { limits } } };
}

const decimal = { step: 1_000, units: ['', 'k', 'M', 'G'] };
const binary = { step: 1_024, units: ['Mi', 'Gi', 'Ti', 'Pi'] };

/** The API server's canonical form: any other would read as a change of the quota, for ever. */
export function canonical(quantity: string | number): string {
  const { step, units } = typeof quantity === 'number' ? decimal : binary;
  let amount = Number.parseInt(`${quantity}`, 10);
  let unit = typeof quantity === 'number' ? 0 : units.indexOf(quantity.slice(-2));
  while (amount % step === 0 && unit < units.length - 1) {
    amount /= step;
    unit += 1;
  }
  return `${amount}${units[unit] ?? ''}`;
}
