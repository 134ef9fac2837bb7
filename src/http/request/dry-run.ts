// Defines the parameter `dry_run` and the header that answers it.
import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';

const name = 'dry_run';

/** A part of the query of a change that can be previewed. */
export const dryRun = {
  [name]: z
    .boolean()
    .default(false)
    .describe(
      'Checks the request and answers as if it were carried out, but changes nothing. `Fairlead-Plan` names the change.',
    ),
};

/** @returns whether a request changes nothing; decided before the query is validated */
export function isDryRun({ accepts }: Pick<Endpoint, 'accepts'>, search: string): boolean {
  if (accepts.query === undefined || !Object.hasOwn(accepts.query.shape, name)) return false;
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
