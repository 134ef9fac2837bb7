// Makes the config and the applied config of a cached Resource one object, as far as they are equal: they mostly are, and make up
// most of it.
import type { Resource } from '../../crds/resource.ts';
import { createStringPool, share } from '../../kube/informer/sharing.ts';

/** @returns a function that changes a Resource in place, before anything else has it */
export function createConfigSharing(): (resource: Resource) => Resource {
  const pool = createStringPool();
  return (resource) => {
    const { spec, status } = resource;
    if (status?.appliedConfig !== undefined) {
      status.appliedConfig = share(status.appliedConfig, spec.config, pool);
    }
    return resource;
  };
}
