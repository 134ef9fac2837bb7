// Names: their syntax, the three spellings of a resource, and the namespace of an organization. Only this file maps an
// organization to a namespace and a resource to a Kubernetes name.
import { createHash } from 'node:crypto';

export const providerPattern = /^[a-z0-9](?:[-a-z0-9]{0,38}[a-z0-9])?$/;
export const typePattern = /^[a-z][a-z0-9_-]{0,62}$/;
export const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9])?$/;

/** The organization of a request, from its token. */
export interface Organization {
  readonly issuer: string;
  readonly id: string;
  readonly namespace: string;
}

/** Provider, type and name: the client's name of a resource. */
export interface ResourceTuple {
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
}

/** A resource as addressed in a path: the whole tuple, or only the joined key, which is never split. */
export interface ResourceAddress {
  readonly key: string;
  readonly tuple?: ResourceTuple;
  /** The address as shown in messages. */
  readonly text: string;
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The first 32 digits. A slice would keep all 64 in memory. */
export function halfSha256Hex(text: string): string {
  return createHash('sha256').update(text).digest().toString('hex', 0, 16);
}

function slug(text: string, maximum: number): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, maximum)
    .replace(/-+$/, '');
}

/** @returns the organization with its namespace `fl-<slug>-<12 hex of sha256(issuer "\n" id)>`. */
export function organizationOf(issuer: string, id: string): Organization {
  const readable = slug(id, 20) || 'org';
  const hash = sha256Hex(`${issuer}\n${id}`).slice(0, 12);
  return { issuer, id, namespace: `fl-${readable}-${hash}` };
}

/** The text after `resource:`; two tuples with the same text share one Kubernetes object, so only one can exist. */
export function keyOf({ provider, resource, name }: ResourceTuple): string {
  return `${provider}_${resource}_${name}`;
}

/** The `id` of a record: `resource:{provider}_{resource}_{name}`. */
export function idOf(tuple: ResourceTuple): string {
  return `resource:${keyOf(tuple)}`;
}

export function slashed({ provider, resource, name }: ResourceTuple): string {
  return `${provider}/${resource}/${name}`;
}

export function typeName({ provider, resource }: Omit<ResourceTuple, 'name'>): string {
  return `${provider}/${resource}`;
}

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
export const longestObjectName = 253;
/** A project's id may look so; the names of other objects of the first form have dots. */
const hashedForm = /^[-a-z0-9]*-[0-9a-f]{16}$/;

/**
 * The only place that makes Kubernetes names of keys: the parts joined by dots where Kubernetes accepts that, and otherwise
 * `<slug>-<16 hex digits of the hash>`. Two keys never have one name: parts before the last contain no dot, and the first form never
 * looks like the second one.
 * @param key the parts joined by underscores  @param count of parts; a key with more underscores has some within its parts
 */
function kubernetesName(key: string, count: number): string {
  const parts = key.split('_');
  const dotted = parts.join('.');
  const isPlain = parts.length === count && dotted.length <= longestObjectName;
  if (isPlain && subdomain.test(dotted) && !hashedForm.test(dotted)) return dotted;
  return `${slug(key, 35) || 'r'}-${sha256Hex(key).slice(0, 16)}`;
}

/** Returns whether a Resource can be called so in Kubernetes. */
export function isObjectName(name: string): boolean {
  return name.length <= longestObjectName && subdomain.test(name);
}

/** @returns `metadata.name` of the Resource with this key: `{provider}.{type}.{name}` wherever that is a name in Kubernetes */
export function objectNameOf(key: string): string {
  return kubernetesName(key, 3);
}

/** @returns `metadata.name` of the ResourceDefinition: `{provider}.{type}` wherever that is a name in Kubernetes */
export function definitionNameOf(provider: string, resource: string): string {
  return kubernetesName(`${provider}_${resource}`, 2);
}

/** @returns `metadata.name` of the Project: its id wherever that is a name in Kubernetes */
export function projectNameOf(projectId: string): string {
  return kubernetesName(projectId, 1);
}

export function isTuple({ provider, resource, name }: ResourceTuple): boolean {
  return providerPattern.test(provider) && typePattern.test(resource) && namePattern.test(name);
}

/** @returns the address of the resource that has this provider, type and name */
export function resourceAddress({ provider, resource, name }: ResourceTuple): ResourceAddress {
  const tuple = { provider, resource, name };
  return { key: keyOf(tuple), tuple, text: slashed(tuple) };
}

/**
 * Reads one of the three spellings of a resource, already percent-decoded:
 * `resource:{provider}_{resource}_{name}`, `{provider}:{resource}:{name}`, `{provider}/{resource}/{name}`.
 * @returns undefined when the text is none of them.
 */
export function parseResourceAddress(text: string): ResourceAddress | undefined {
  if (text.startsWith('resource:') && text.split(':').length === 2) {
    const key = text.slice('resource:'.length);
    return keyPattern.test(key) ? { key, text: key } : undefined;
  }
  for (const separator of [':', '/']) {
    const parts = text.split(separator);
    if (parts.length !== 3) continue;
    const [provider = '', resource = '', name = ''] = parts;
    const tuple = { provider, resource, name };
    if (isTuple(tuple)) return resourceAddress(tuple);
  }
  return undefined;
}

// A key has at least two underscores between the legal characters of its three parts; their lengths sum to at most 305.
const keyPattern =
  /^(?=.{5,305}$)[a-z0-9][-a-z0-9]*_[a-z][a-zA-Z0-9._-]*_[a-zA-Z0-9._-]*[A-Za-z0-9]$/;

/** Every organization has one permanent project; its id is unique to the organization. */
export function defaultProjectId({ namespace }: Pick<Organization, 'namespace'>): string {
  return `default-${namespace.slice(-12)}`;
}

/** No other project has such an id, so a resource may name its default project or leave it out. */
export const defaultProjectPattern = /^default-[0-9a-f]{12}$/;

/** @returns the id of the project of a resource, whose spec may leave out the default one */
export function projectIdOf({
  metadata: { namespace = '' },
  spec: { project },
}: {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec: { readonly project?: string | undefined };
}): string {
  return project ?? defaultProjectId({ namespace });
}

/**
 * @param isTaken returns whether an id exists, or would change what a name of another project means
 * @returns the id of a project that is created without one: the slug of its name if that is free, else with a random end
 */
export function projectIdFor(
  name: string,
  random: string,
  isTaken: (id: string) => boolean,
): string {
  const id = slug(name, 40);
  const isFree = id !== '' && !defaultProjectPattern.test(id) && !isTaken(id);
  return isFree ? id : `${id || 'project'}-${random}`;
}
