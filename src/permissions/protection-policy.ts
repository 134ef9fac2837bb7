// Keeps everybody from deleting protected resources, with kubectl as over HTTP.
import { Resource } from '../crds/resource.ts';
import { binding, type Policy, policy } from './policy.ts';

/** For everybody. A namespace takes what is in it along, and the controller records that. */
export const protectionPolicy: Policy = {
  name: 'fairlead-protected-resources',
  group: Resource.group,
  versions: [Resource.version],
  resources: [Resource.plural],
  operations: ['DELETE'],
  condition: {
    name: 'is-protected',
    expression: 'has(oldObject.spec.protected) && oldObject.spec.protected',
  },
  validations: [
    {
      reason: 'Forbidden',
      expression: 'has(namespaceObject.metadata.deletionTimestamp)',
      message:
        'The resource is protected and cannot be deleted; set spec.protected to false first, with kubectl patch or fairlead unprotect',
    },
  ],
};

/** The policy alone, for an installation without accounts of its own. */
export function protectionManifests() {
  return [policy(protectionPolicy, 'false'), binding(protectionPolicy)];
}
