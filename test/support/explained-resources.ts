// Builds resources that wait for one another, and follows them to the cause, for tests of explanations.
import type { Resource, ResourceStatus } from '../../src/crds/resource.ts';
import { keyFor } from '../../src/kube/api.ts';
import { createDependencyIndex } from '../../src/store/resources/dependency-index.ts';
import { pathFinder } from '../../src/store/resources/explanation/path.ts';
import { aClaim, aResource, contentOfResource } from './builders.ts';
import { objectCache } from './object-cache.ts';

export const since = '2026-01-01T00:01:00.000Z';

function ready(reason: string, message: string): ResourceStatus['conditions'] {
  return [{ type: 'Ready', status: 'False', reason, message, lastTransitionTime: since }];
}

interface Given {
  readonly spec?: Partial<Resource['spec']>;
  readonly metadata?: Partial<Resource['metadata']>;
  readonly state?: ResourceStatus['state'];
  readonly reason?: string;
  readonly message?: string;
  /** Recorded failure, which is the message, too. */
  readonly error?: string;
  readonly event?: ResourceStatus['event'];
}

export function named(name: string, { spec, metadata, event, ...status }: Given = {}): Resource {
  const resource = aResource({ spec: { name, ...spec }, metadata: metadata ?? {} });
  if (status.state === undefined) return resource;
  const { state, reason = 'Queued', error, message = error ?? '' } = status;
  const content = contentOfResource(resource);
  const conditions = ready(reason, message);
  return {
    ...resource,
    status: {
      ...{ state, reason, content, conditions, observedGeneration: 1 },
      ...(error !== undefined && { error }),
      ...(event && { event }),
    },
  };
}

export const uses = (name: string, field = 'owner') => ({
  config: { [field]: `\${postgres/database/${name}.outputs.user}` },
});

export const failedSeller = named('seller', {
  state: 'failed',
  reason: 'AttemptsExhausted',
  error: 'handler_error: connect ECONNREFUSED',
  event: aClaim({ attempt: 5 }),
});

export function finder(...others: readonly Resource[]) {
  const resources = objectCache<Resource>(...others);
  const index = createDependencyIndex(resources);
  return pathFinder({
    resources,
    dependenciesOf: ({ metadata }) => index.dependenciesOf(keyFor(metadata)),
  });
}
