// The Kubernetes kinds, labels and annotations that the stores read and write.

import { Build } from '../crds/build.ts';
import { apiVersion } from '../crds/define.ts';
import { Organization } from '../crds/organization.ts';
import { Project } from '../crds/project.ts';
import { Provider } from '../crds/provider.ts';
import { Resource } from '../crds/resource.ts';
import { ResourceDefinition } from '../crds/resource-definition.ts';
import type { KindRef } from '../kube/api.ts';

export const kinds = {
  build: Build,
  organization: Organization,
  project: Project,
  provider: Provider,
  resource: Resource,
  definition: ResourceDefinition,
} satisfies Record<string, KindRef>;

export const namespaceKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const configMapKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export const secretKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

/** Labels and annotations Fairlead writes. */
export const label = {
  managedBy: 'app.kubernetes.io/managed-by',
  provider: 'fairlead.dev/provider',
  eventType: 'fairlead.dev/event-type',
  deadLetter: 'fairlead.dev/dead-letter',
  /** Fingerprint of the error of a dead letter: equal for letters that one repair helps. */
  cause: 'fairlead.dev/cause',
  /** On a dead letter whose resource went on without it. */
  superseded: 'fairlead.dev/superseded',
  redrive: 'fairlead.dev/redrive',
  orphanReceipt: 'fairlead.dev/orphan-receipt',
  /** On the Lease of a process that serves the interface. */
  replica: 'fairlead.dev/replica',
  /** On what speaks of an organization, wherever it is kept. */
  organizationNamespace: 'fairlead.dev/organization-namespace',
  organization: 'fairlead.dev/organization',
  build: 'fairlead.dev/build',
  version: 'fairlead.dev/version',
} as const;

export const annotation = {
  /** When the spec was last written over HTTP; Kubernetes itself keeps no such time. */
  updatedAt: 'fairlead.dev/updated-at',
  /** On a Resource: the subject of the last apply over HTTP. Whoever writes with kubectl leaves it as it is. */
  appliedBy: 'fairlead.dev/applied-by',
  issuer: 'fairlead.dev/issuer',
  organizationId: 'fairlead.dev/organization-id',
  /** Of one request, so that a write of unknown outcome can be recognised. */
  request: 'fairlead.dev/request',
  /** Fingerprint of the manifest that a Deployment was made from. */
  manifest: 'fairlead.dev/manifest',
  /** The version that was deployed before the present one. */
  previousVersion: 'fairlead.dev/previous-version',
  /** On a Provider: the resources that the types of its version would refuse, as JSON. */
  incompatible: 'fairlead.dev/incompatible-resources',
  /** On a Resource: `<event id>/<n>`, the event that failed for good and is to be begun again for the n-th time. */
  requeue: 'fairlead.dev/requeue',
  /** On a Resource: `<event id>/<n>`, the failure whose dead letter somebody deleted, begun again n times before. */
  dismissed: 'fairlead.dev/dismissed',
  /** On a Project: when somebody began to delete it. Nothing new is let in while it is fresh. */
  going: 'fairlead.dev/going',
  /** On a Resource: `true` lets it go, with a receipt, when its provider cannot clean up behind it. */
  forceDeletion: 'fairlead.dev/force-deletion',
} as const;

export { apiVersion };
