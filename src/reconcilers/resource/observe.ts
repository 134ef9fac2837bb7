// Everything a decision about one Resource needs, read at once and from memory.
import type { Organization } from '../../crds/organization.ts';
import { type Resource, resourceFinalizer } from '../../crds/resource.ts';
import type { ResourceDefinition } from '../../crds/resource-definition.ts';
import type { Violation } from '../../domain/errors.ts';
import { definitionNameOf, keyOf, objectNameOf, slashed } from '../../domain/identity.ts';
import type { JsonObject } from '../../domain/json.ts';
import { contentHash } from '../../domain/lifecycle.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import { type Informer, type Key, keyFor } from '../../kube/api.ts';
import { contentOf, stateOf } from '../../store/resource-state.ts';
import type { AnswerBook, Heard } from './answers.ts';

export interface Observed {
  readonly resource: Resource;
  /** Hash of what the spec asks for now. */
  readonly content: string;
  readonly finalizing: boolean;
  /** The name the object must have to be found over HTTP. */
  readonly expectedName: string;
  /** The organization's id in tokens; undefined when the namespace belongs to none. */
  readonly organizationId: string | undefined;
  readonly typeRegistered: boolean;
  /** What the config breaks of its type's schema; empty when nothing was to be checked. */
  readonly violations: readonly Violation[];
  /** URL that takes events of the provider now. */
  readonly endpoint: string | undefined;
  /** Dependencies that are not ready, as `provider/resource/name`. */
  readonly unready: readonly string[];
  /** What the provider answered to the claimed attempt, when this process heard it and has not recorded it yet. */
  readonly heard: Heard | undefined;
}

export interface ObserveDeps {
  readonly resources: Pick<Informer<Resource>, 'get'>;
  readonly definitions: Pick<Informer<ResourceDefinition>, 'get'>;
  readonly organizations: Pick<Informer<Organization>, 'get'>;
  readonly endpoints: { find(namespace: string, provider: string): string | undefined };
  readonly schemas: Pick<SchemaSandbox, 'validate'>;
  readonly answers: Pick<AnswerBook, 'find'>;
}

/** @returns undefined when the object is gone */
export async function observe(key: Key, deps: ObserveDeps): Promise<Observed | undefined> {
  const resource = deps.resources.get(key);
  if (resource === undefined) return undefined;
  const { metadata, spec, status } = resource;
  const { namespace = '' } = metadata;
  const content = contentHash(contentOf(spec));
  const definition = definitionOf(resource, deps);
  const organization = deps.organizations.get(namespace);
  const claimsNext = spec.lifecycle === 'Committed' && status?.content !== content;
  return {
    resource,
    content,
    finalizing: metadata.finalizers?.includes(resourceFinalizer) ?? false,
    expectedName: objectNameOf(keyOf(spec)),
    organizationId: organization?.spec.externalId,
    typeRegistered: definition !== undefined,
    violations: claimsNext ? await violationsOf(resource, definition, deps) : [],
    endpoint: deps.endpoints.find(namespace, spec.provider),
    unready: unreadyDependencies(resource, deps),
    heard: status?.event === undefined ? undefined : deps.answers.find(status.event),
  };
}

function definitionOf({ metadata, spec }: Resource, deps: ObserveDeps) {
  const name = definitionNameOf(spec.provider, spec.resource);
  const found = deps.definitions.get(keyFor({ namespace: metadata.namespace, name }));
  const speaksOfIt =
    found?.spec.provider === spec.provider && found.spec.resource === spec.resource;
  return speaksOfIt ? found : undefined;
}

/** Also what came over HTTP is checked again: somebody may have written with kubectl, or registered another schema. */
function violationsOf(
  { spec }: Resource,
  definition: ResourceDefinition | undefined,
  deps: ObserveDeps,
): Promise<readonly Violation[]> {
  const schema = definition?.spec.schema as JsonObject | undefined;
  if (schema === undefined) return Promise.resolve([]);
  return deps.schemas.validate(schema, spec.config as JsonObject);
}

function unreadyDependencies({ metadata, spec }: Resource, deps: ObserveDeps): readonly string[] {
  return (spec.dependencies ?? [])
    .filter((dependency) => {
      const name = objectNameOf(keyOf(dependency));
      const found = deps.resources.get(keyFor({ namespace: metadata.namespace, name }));
      return found === undefined || stateOf(found) !== 'ready';
    })
    .map(slashed);
}
