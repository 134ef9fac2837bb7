// Defines admission policies for what RBAC cannot express: our own accounts, stolen or buggy, stay in tenant namespaces and
// create nothing there that could escape them. These policies ignore everybody else; that of protected resources binds all. Pure.

import { Provider } from '../crds/provider.ts';
import { registriesName } from '../domain/providers/registries.ts';
import { defaultAccount, tenantAccounts } from '../providers/workloads/pod.ts';
import { namespaceLabels, tenantApiRole, tenantRole } from '../reconcilers/organization/guards.ts';
import { deploymentNameOf } from '../store/providers/store.ts';
import { replicaLeases } from '../store/replicas.ts';
import { systemKeys } from '../store/system.ts';
import { binding, type Policy, policy, type Validation } from './policy.ts';
import { protectionPolicy } from './protection-policy.ts';
import { accounts, type Manifest, systemLabel, systemNamespace } from './roles.ts';

const isTenant = "request.namespace.startsWith('fl-')";
const inTenant: Validation = {
  expression: isTenant,
  message: 'Fairlead may write only in namespaces of tenants',
};
const isOwn = `(has(namespaceObject.metadata.labels) && '${systemLabel}' in namespaceObject.metadata.labels)`;
const inTenantOrOwn: Validation = {
  expression: `${isTenant} || ${isOwn}`,
  message: 'Fairlead may write only in namespaces of tenants and in its own namespace',
};

const podSecurity = Object.entries(namespaceLabels()).filter(([key]) =>
  key.startsWith('pod-security.kubernetes.io/'),
);

function policies(namespace: string): readonly Policy[] {
  const bindings = `{'${tenantRole}': '${accounts.controller}', '${tenantApiRole}': '${accounts.api}'}`;
  const isApi = `request.userInfo.username == '${userOf(accounts.api, namespace)}'`;
  return [
    {
      name: 'fairlead-namespaces',
      group: '',
      resources: ['namespaces'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        {
          expression: "request.name.startsWith('fl-') && request.operation != 'DELETE'",
          message:
            'Fairlead may create and update only namespaces of tenants, and may not delete namespaces',
        },
        {
          expression: `request.operation == 'DELETE' || (has(object.metadata.labels) && ${podSecurity
            .map(([key, value]) => labelIs('object', key, value))
            .join(' && ')})`,
          message: 'A namespace of a tenant must enforce the restricted Pod Security Standard',
        },
      ],
    },
    {
      name: 'fairlead-rolebindings',
      group: 'rbac.authorization.k8s.io',
      resources: ['rolebindings'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        inTenant,
        {
          expression: `request.operation == 'DELETE' || (object.metadata.name in ${bindings} && object.roleRef.kind == 'ClusterRole' && object.roleRef.name == object.metadata.name)`,
          message: `Fairlead may bind only the roles ${tenantRole} and ${tenantApiRole}`,
        },
        {
          expression: `request.operation == 'DELETE' || !(object.metadata.name in ${bindings}) || (has(object.subjects) && object.subjects.all(s, s.kind == 'ServiceAccount' && s.name == ${bindings}[object.metadata.name] && has(s.namespace) && s.namespace == '${namespace}'))`,
          message: 'Fairlead may bind each role only to its own service account',
        },
      ],
    },
    podPolicy('fairlead-pods', { group: '', resources: ['pods'], spec: 'object.spec' }),
    podPolicy('fairlead-jobs', {
      group: 'batch',
      resources: ['jobs'],
      spec: 'object.spec.template.spec',
    }),
    podPolicy('fairlead-deployments', {
      group: 'apps',
      resources: ['deployments'],
      spec: 'object.spec.template.spec',
    }),
    {
      name: 'fairlead-serviceaccounts',
      group: '',
      resources: ['serviceaccounts'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        inTenant,
        {
          expression: `request.name in ${tokenless} && request.operation != 'DELETE' && has(object.automountServiceAccountToken) && !object.automountServiceAccountToken`,
          message:
            'Fairlead may create and update only its three service accounts, and they must not mount a token',
        },
      ],
    },
    {
      name: 'fairlead-objects',
      group: '',
      resources: ['configmaps'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        inTenantOrOwn,
        {
          expression: `!${isOwn} || !(${isApi}) || (request.operation == 'DELETE' && request.name.startsWith('receipt-'))`,
          message:
            'In its own namespace, the Fairlead API may delete orphan receipts, but not write ConfigMaps',
        },
      ],
    },
    {
      name: 'fairlead-poddisruptionbudgets',
      group: 'policy',
      resources: ['poddisruptionbudgets'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [inTenant],
    },
    providerPolicy(isApi),
    {
      name: 'fairlead-leases',
      group: 'coordination.k8s.io',
      resources: ['leases'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        {
          // A writer of the other Leases decides which controller works, and whether any does.
          expression: `!(${isApi}) || request.name.startsWith('${replicaLeases.api.prefix}-')`,
          message: 'The Fairlead API may write only the Leases of its replicas',
        },
      ],
    },
    secretPolicy(isApi),
    protectionPolicy,
  ];
}

/** The API deploys versions and writes settings; where events go, and which other Secrets pods mount, administrators decide. */
function providerPolicy(isApi: string): Policy {
  const isKept = (field: string) => {
    const of = (object: string) => `(has(${object}.spec.${field}) ? ${object}.spec.${field} : '')`;
    const before = `(request.operation == 'UPDATE' ? ${of('oldObject')} : '')`;
    return `${of('object')} == ${before}`;
  };
  const secret = 'object.spec.settings.secret';
  return {
    name: 'fairlead-providers',
    group: Provider.group,
    versions: [Provider.version],
    resources: [Provider.plural],
    operations: ['CREATE', 'UPDATE'],
    validations: [
      ...['endpoint', 'caBundle', 'settingsSecret'].map((field) => ({
        expression: `!(${isApi}) || ${isKept(field)}`,
        message: `The Fairlead API may not set spec.${field} of a Provider`,
      })),
      {
        expression: `!(${isApi}) || !has(object.spec.settings) || ${secret}.startsWith('${deploymentNameOf('')}' + object.metadata.name + '-settings-')`,
        message: 'The settings of a Provider must be in the Secret that Fairlead makes for them',
      },
    ],
  };
}

/** Kubernetes itself fills in or trusts other types: such a Secret could obtain a token of any account in the namespace. */
function secretPolicy(isApi: string): Policy {
  const ofController = celList([systemKeys.events, systemKeys.authority, systemKeys.plans]);
  const held = `(${isApi} ? ['${systemKeys.evaluation}'] : ${ofController})`;
  const name = 'object.metadata.name';
  const ofVersion = `${name}.startsWith('${deploymentNameOf('')}')`;
  const ofBuild = `o.kind == 'Build' && (${name} == o.name || ${name}.startsWith(o.name + '-pull-') || ${ofVersion})`;
  const ofProvider = `o.kind == 'Provider' && ${ofVersion}`;
  const ofSettings = `o.apiVersion.startsWith('fairlead.dev/') && o.kind == 'Provider' && ${name}.startsWith('${deploymentNameOf('')}' + o.name + '-settings-')`;
  // A patch answers with the whole Secret: the right to update must not extend to others.
  const ofRegistries = `${name} == '${registriesName}' && !has(object.metadata.ownerReferences)`;
  return {
    name: 'fairlead-secrets',
    group: '',
    resources: ['secrets'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    validations: [
      inTenantOrOwn,
      {
        expression: `request.operation == 'CREATE' || (request.operation == 'UPDATE' && ${isTenant} && ${ofRegistries}) || (request.operation == 'UPDATE' && ${isTenant} && has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(o, ${ofSettings}) && has(object.metadata.ownerReferences) && object.metadata.ownerReferences == oldObject.metadata.ownerReferences)`,
        message: 'Fairlead may update only Secrets of settings and registries, and delete none',
      },
      {
        expression: `request.operation != 'CREATE' || !${isTenant} || !(${isApi}) || (has(${name}) && ${ofRegistries}) || (has(${name}) && has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, ${ofSettings}))`,
        message: 'For tenants, the Fairlead API may create only Secrets of settings and registries',
      },
      {
        expression: `request.operation != 'CREATE' || object.type == 'Opaque' || (${isTenant} && object.type == 'kubernetes.io/dockerconfigjson')`,
        message:
          'Fairlead may create only Secrets of type Opaque, and pull Secrets in namespaces of tenants',
      },
      {
        expression: `request.operation != 'CREATE' || ${isTenant} || (has(${name}) && ${name} in ${held})`,
        message: 'In its own namespace, Fairlead may create only the Secrets of its keys',
      },
      {
        expression: `request.operation != 'CREATE' || !${isTenant} || (has(${name}) && ${ofRegistries}) || (has(${name}) && has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.apiVersion.startsWith('fairlead.dev/') && ((${ofBuild}) || (${ofProvider}))))`,
        message:
          'A Secret of a tenant must be owned by a Build or a Provider, and named after its owner, or have the tokens of registries',
      },
    ],
  };
}

function userOf(account: string, namespace: string): string {
  return `system:serviceaccount:${namespace}:${account}`;
}

const names = celList(Object.values(tenantAccounts));
const tokenless = celList([...Object.values(tenantAccounts), defaultAccount]);

function celList(all: readonly string[]): string {
  return `[${all.map((each) => `'${each}'`).join(', ')}]`;
}

function labelIs(object: string, key: string, value: string): string {
  const held = `${object}.metadata.labels`;
  return `'${key}' in ${held} && ${held}['${key}'] == '${value}'`;
}

interface Workload {
  readonly group: string;
  readonly resources: readonly string[];
  /** The path of its pod spec. */
  readonly spec: string;
}

function podPolicy(name: string, { group, resources, spec }: Workload): Policy {
  return {
    name,
    group,
    resources,
    operations: ['CREATE', 'UPDATE'],
    variables: [
      { name: 'pod', expression: spec },
      {
        name: 'containers',
        expression:
          'variables.pod.containers + (has(variables.pod.initContainers) ? variables.pod.initContainers : [])',
      },
    ],
    validations: [
      inTenant,
      {
        expression: `has(variables.pod.serviceAccountName) && variables.pod.serviceAccountName in ${names}`,
        message: 'A pod of a tenant must use one of the two service accounts without permissions',
      },
      {
        expression:
          'has(variables.pod.automountServiceAccountToken) && !variables.pod.automountServiceAccountToken',
        message: 'A pod of a tenant must not mount a service account token',
      },
      {
        expression:
          '!(has(variables.pod.hostNetwork) && variables.pod.hostNetwork) && !(has(variables.pod.hostPID) && variables.pod.hostPID) && !(has(variables.pod.hostIPC) && variables.pod.hostIPC)',
        message: 'A pod of a tenant must not use the network, PID or IPC namespace of its node',
      },
      {
        expression:
          '!has(variables.pod.volumes) || variables.pod.volumes.all(v, !has(v.hostPath) && !has(v.projected))',
        message: 'A pod of a tenant must not mount hostPath or projected volumes',
      },
      {
        expression:
          'variables.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)',
        message: 'A container of a tenant must not be privileged',
      },
    ],
  };
}

export function admissionManifests(namespace = systemNamespace): readonly Manifest[] {
  const users = Object.values(accounts).map((name) => userOf(name, namespace));
  const expression = `request.userInfo.username in [${users.map((user) => `'${user}'`).join(', ')}]`;
  return policies(namespace).flatMap((each) => [policy(each, expression), binding(each)]);
}
