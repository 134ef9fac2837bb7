// Pure. What RBAC cannot say: our own accounts, stolen or confused, stay in namespaces of tenants, and make nothing there
// that could leave them. Everybody else is none of these policies' business.

import { defaultAccount, tenantAccounts } from '../providers/workloads/pod.ts';
import { namespaceLabels, tenantRole } from '../reconcilers/organization/guards.ts';
import { accounts, type Manifest, systemLabel, systemNamespace } from './roles.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';

interface Validation {
  readonly expression: string;
  readonly message: string;
}

interface Policy {
  readonly name: string;
  readonly group: string;
  readonly versions?: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
}

const inTenant: Validation = {
  expression: "request.namespace.startsWith('fl-')",
  message: 'Fairlead works in namespaces of tenants only',
};
const inTenantOrOwn: Validation = {
  expression: `request.namespace.startsWith('fl-') || (has(namespaceObject.metadata.labels) && '${systemLabel}' in namespaceObject.metadata.labels)`,
  message: 'Fairlead works in namespaces of tenants and in its own only',
};

const podSecurity = Object.entries(namespaceLabels()).filter(([key]) =>
  key.startsWith('pod-security.kubernetes.io/'),
);

function policies(namespace: string): readonly Policy[] {
  const subject = `s.kind == 'ServiceAccount' && s.name == '${accounts.controller}' && has(s.namespace) && s.namespace == '${namespace}'`;
  return [
    {
      name: 'fairlead-namespaces',
      group: '',
      resources: ['namespaces'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [
        {
          expression: "request.name.startsWith('fl-') && request.operation != 'DELETE'",
          message: 'Fairlead makes and keeps namespaces of tenants only, and removes none',
        },
        {
          expression: `request.operation == 'DELETE' || (has(object.metadata.labels) && ${podSecurity
            .map(([key, value]) => labelIs('object', key, value))
            .join(' && ')})`,
          message: 'A namespace of a tenant enforces the restricted Pod Security standard',
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
          expression: `request.operation == 'DELETE' || (object.metadata.name == '${tenantRole}' && object.roleRef.kind == 'ClusterRole' && object.roleRef.name == '${tenantRole}')`,
          message: `Fairlead binds ${tenantRole} and no other role`,
        },
        {
          expression: `request.operation == 'DELETE' || (has(object.subjects) && object.subjects.all(s, ${subject}))`,
          message: 'Fairlead gives its controller rights, and nobody else',
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
          message: 'Fairlead keeps three accounts, and none of them gets a token',
        },
      ],
    },
    {
      name: 'fairlead-objects',
      group: '',
      resources: ['configmaps', 'secrets'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validations: [inTenantOrOwn],
    },
  ];
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
  /** Where the spec of its pods is. */
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
        message: 'Code of tenants runs as one of two accounts that may do nothing',
      },
      {
        expression:
          'has(variables.pod.automountServiceAccountToken) && !variables.pod.automountServiceAccountToken',
        message: 'Code of tenants gets no token',
      },
      {
        expression:
          '!(has(variables.pod.hostNetwork) && variables.pod.hostNetwork) && !(has(variables.pod.hostPID) && variables.pod.hostPID) && !(has(variables.pod.hostIPC) && variables.pod.hostIPC)',
        message: 'Code of tenants shares nothing with its node',
      },
      {
        expression:
          '!has(variables.pod.volumes) || variables.pod.volumes.all(v, !has(v.hostPath) && !has(v.projected))',
        message: 'Code of tenants sees no folder of its node, and no token',
      },
      {
        expression:
          'variables.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)',
        message: 'Code of tenants is never privileged',
      },
    ],
  };
}

export function admissionManifests(namespace = systemNamespace): readonly Manifest[] {
  const users = Object.values(accounts).map((name) => `system:serviceaccount:${namespace}:${name}`);
  const expression = `request.userInfo.username in [${users.map((user) => `'${user}'`).join(', ')}]`;
  return policies(namespace).flatMap((each) => [policy(each, expression), binding(each)]);
}

function policy(
  { name, group, resources, operations, variables, validations }: Policy,
  expression: string,
) {
  const apiVersions = ['v1'];
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [group], apiVersions, operations, resources }],
      },
      matchConditions: [{ name: 'is-fairlead', expression }],
      ...(variables === undefined ? {} : { variables }),
      validations,
    },
  };
}

function binding({ name }: Policy) {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}
