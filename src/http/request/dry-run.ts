// Recognizes requests that change nothing, and writes the header that answers them.

import type { Exchange } from '../../api/contract.ts';
import { dryRunName as name } from '../../api/schemas/dry-run.ts';

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
