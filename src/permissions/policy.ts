// A ValidatingAdmissionPolicy and its binding, from what differs between ours.
const apiVersion = 'admissionregistration.k8s.io/v1';

export interface Validation {
  readonly expression: string;
  readonly message: string;
  /** How the API server answers; `Invalid` by default. */
  readonly reason?: 'Forbidden';
}

export interface Policy {
  readonly name: string;
  readonly group: string;
  readonly versions?: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly Validation[];
  /** Whom it binds; Fairlead's own accounts by default. */
  readonly condition?: { readonly name: string; readonly expression: string };
}

/** @param isOurs a CEL expression that is true of Fairlead's accounts */
export function policy(
  {
    name,
    group,
    versions = ['v1'],
    resources,
    operations,
    variables,
    validations,
    ...rest
  }: Policy,
  isOurs: string,
) {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [group], apiVersions: versions, operations, resources }],
      },
      matchConditions: [rest.condition ?? { name: 'is-fairlead', expression: isOurs }],
      ...(variables === undefined ? {} : { variables }),
      validations,
    },
  };
}

export function binding({ name }: Policy) {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}
