// Recognizes requests that change nothing, and writes the header that answers them.

import type { Exchange } from '../../api/contract.ts';
import { dryRunName as name } from '../../api/schemas/dry-run.ts';
import { pointer } from '../../lib/json.ts';

/** @returns whether a request changes nothing; decided before the query is validated */
export function isDryRun({ query }: Exchange, search: string): boolean {
  if (query === undefined || !Object.hasOwn(query.shape, name)) return false;
  return new URLSearchParams(search).get(name) === 'true';
}

/** @returns the header that names the change of a preview */
export function planHeader(change: string): Record<string, string> {
  return { 'Fairlead-Plan': change };
}

/** For the OpenAPI document. @param changes the values of the header */
export function planHeaderOf(...changes: readonly string[]): Record<string, string> {
  const values = changes.map((each) => `\`${each}\``).join(', ');
  return {
    'Fairlead-Plan': `With \`dry_run=true\`, the change that the request would make: ${values}.`,
  };
}

const forcedByName = 'Fairlead-Forced-By';

/** @param fields paths in the config @returns the header that names the fields because of which a replacement is necessary */
export function forcedByHeader(
  fields: readonly (readonly string[])[] | undefined,
): Record<string, string> {
  if (fields === undefined || fields.length === 0) return {};
  const pointers = fields.map((path) => encodeURI(['config', ...path].reduce(pointer, '')));
  return { [forcedByName]: pointers.map((each) => each.replaceAll(',', '%2C')).join(', ') };
}

/** For the OpenAPI document. */
export const forcedByHeaderOf: Readonly<Record<string, string>> = {
  [forcedByName]:
    'With `dry_run=true` and the plan `replace`, the immutable fields because of which the resource is replaced: JSON Pointers into the record, percent-encoded, with commas between them. Absent when no immutable field changes.',
};
