// Checks every name and value before it becomes part of a URL: `.` and `..` pass encodeURIComponent, and a DELETE of the name "."
// would be a DELETE of the whole collection.
import { KubeError } from './errors.ts';

const subdomain = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
// RBAC objects, among others, may contain colons.
const segment = /^[A-Za-z0-9][-A-Za-z0-9._:]{0,252}$/;

/** @returns the name, when it is safe as one path segment. @throws KubeError `badRequest` before any network access */
export function checkedName(name: string): string {
  if (segment.test(name) && !name.includes('..')) return name;
  throw new KubeError({ reason: 'badRequest', message: 'Invalid name of a Kubernetes object' });
}

/** @throws KubeError `badRequest` before any network access */
export function checkedNamespace(namespace: string): string {
  if (subdomain.test(namespace) && !namespace.includes('.')) return namespace;
  throw new KubeError({
    reason: 'badRequest',
    message: 'Invalid name of a Kubernetes namespace',
  });
}

/** @returns the selector of objects with this value in a field; undefined for a value that the syntax of selectors could misread */
export function fieldSelector(path: string, value: string): string | undefined {
  return /^[A-Za-z0-9._-]+$/.test(value) ? `${path}=${value}` : undefined;
}
