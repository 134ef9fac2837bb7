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

/** Labels and annotations that Fairlead writes. */
export const label = {
  managedBy: 'app.kubernetes.io/managed-by',
  provider: 'fairlead.dev/provider',
  eventType: 'fairlead.dev/event-type',
  deadLetter: 'fairlead.dev/dead-letter',
  /** Fingerprint of the error of a dead letter: equal for dead letters that one repair fixes. */
  cause: 'fairlead.dev/cause',
  /** On a superseded dead letter. */
  superseded: 'fairlead.dev/superseded',
  redrive: 'fairlead.dev/redrive',
  orphanReceipt: 'fairlead.dev/orphan-receipt',
  /** On the ConfigMap with the contents that a Resource had before. */
  history: 'fairlead.dev/history',
  /** On the ConfigMap with the summary of a set. */
  set: 'fairlead.dev/set',
  /** On the Lease of a process that serves the API. */
  replica: 'fairlead.dev/replica',
  /** On records of an organization, wherever they are stored. */
  organizationNamespace: 'fairlead.dev/organization-namespace',
  organization: 'fairlead.dev/organization',
  build: 'fairlead.dev/build',
  version: 'fairlead.dev/version',
  /** On the Secret with the settings of a provider. */
  settings: 'fairlead.dev/settings',
} as const;

export const annotation = {
  /** Time of the last write of the spec over HTTP; Kubernetes itself stores no such time. */
  updatedAt: 'fairlead.dev/updated-at',
  /** On a Resource: the subject of the last apply over HTTP. Writes with kubectl leave it unchanged. */
  appliedBy: 'fairlead.dev/applied-by',
  /** On a Resource: the name of that subject, with a hash of both; see `domain/actor.ts`. */
  appliedByName: 'fairlead.dev/applied-by-name',
  /** On a Resource: revision, hash, time and subject of its content, as JSON. */
  revision: 'fairlead.dev/revision',
  /** On a Resource: `<traceparent> <content>`, the trace of the apply over HTTP that wrote this content. */
  traceparent: 'fairlead.dev/traceparent',
  /** On a dead letter that was relabelled: the resourceVersion with which it was created. */
  createdVersion: 'fairlead.dev/created-version',
  issuer: 'fairlead.dev/issuer',
  organizationId: 'fairlead.dev/organization-id',
  /** Id of one request, to recognize a write of unknown outcome. */
  request: 'fairlead.dev/request',
  /** Fingerprint of the manifest of a Deployment. */
  manifest: 'fairlead.dev/manifest',
  /** On a Provider: the resources that the types of its version would reject, as JSON. */
  incompatible: 'fairlead.dev/incompatible-resources',
  /** On a Resource: `<event id>/<n>`, requests that the event that failed permanently starts for the n-th time again. */
  requeue: 'fairlead.dev/requeue',
  /** On a Resource: `<event id>/<n>`, the failure whose dead letter was deleted, restarted n times before. */
  dismissed: 'fairlead.dev/dismissed',
  /** On a Project: start time of its deletion. While it is fresh, no resource is accepted. */
  going: 'fairlead.dev/going',
  /** On a Resource: `true` removes it, with an orphan receipt, when its provider cannot clean up. */
  forceDeletion: 'fairlead.dev/force-deletion',
  /** On a Resource: `true` keeps what its provider created when the resource is deleted. */
  orphanDeletion: 'fairlead.dev/orphan-deletion',
  /** On a dead letter or an orphan receipt: `true` or `false`, as the provider said after the failure. */
  exists: 'fairlead.dev/object-exists',
  /** On a Resource: any text; another one than before requests an observation. */
  observe: 'fairlead.dev/observe',
  /** On a Lease of the controller: the number of shards into which its holder divides the namespaces. */
  shards: 'fairlead.dev/shards',
  /** On the Lease of a replica of the controller: ids of the keys with which it signs events. */
  eventKey: 'fairlead.dev/event-key',
  /** On the Lease of a replica of the API: the public key that verifies its requests to providers, as JSON. */
  requestKey: 'fairlead.dev/request-key',
  /** Time at which the provider of a Build was deleted. */
  withdrawn: 'fairlead.dev/withdrawn-at',
  /** On the system namespace: the claim of a place of artifacts that this installation alone uses. */
  artifactClaim: 'fairlead.dev/artifact-claim',
} as const;

export { apiVersion };
