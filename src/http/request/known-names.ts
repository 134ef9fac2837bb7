// Builds the message for an unknown name: it suggests the most similar known name, or lists all known names.
import { z } from 'zod';
import type { Violation } from '../../domain/errors.ts';
import { editDistance } from '../../lib/nearest.ts';

/** Longer names are no typos, and a comparison costs the product of both lengths. */
const maxComparedLength = 64;

/**
 * @param known names that are allowed at this location
 * @param input value that was sent under the name
 */
export function unknownName(
  loc: Violation['loc'],
  known: readonly string[],
  input: unknown,
): Violation {
  return {
    loc,
    msg: `Extra inputs are not permitted; ${hint(`${loc.at(-1) ?? ''}`, known)}`,
    type: 'extra_forbidden',
    input,
  };
}

function hint(given: string, known: readonly string[]): string {
  const nearest = nearestName(given, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return known.length === 0 ? 'no names are allowed' : `allowed: ${known.join(', ')}`;
}

/** @returns the known name that differs by a typing error, by case, or by a leading or trailing word */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given === '' || given.length > maxComparedLength) return undefined;
  const plain = plainly(given);
  const ranked = known
    .map((name) => ({ name, distance: editDistance(plain, plainly(name)) }))
    .filter(({ name, distance }) => distance <= Math.min(2, Math.floor(name.length / 3)))
    .sort((left, right) => left.distance - right.distance);
  if (ranked[0] !== undefined) return ranked[0].name;
  // Matches `state` to `lifecycle_state`, `id` to `project_id`; two matches give no hint.
  const parts = known.filter((name) => name.split('_').includes(given.toLowerCase()));
  return parts.length === 1 ? parts[0] : undefined;
}

/** Normalizes `projectId` and `project-id` to the form of `project_id`. */
function plainly(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** @returns the fields of an object at a place in a schema, without those that are accepted only to be ignored */
export function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = bareSchema(schema);
  for (const part of path) {
    if (at instanceof z.ZodObject) at = bareSchema(at.shape[`${String(part)}`]);
    else if (at instanceof z.ZodArray) at = bareSchema(at.element);
    else return [];
  }
  if (!(at instanceof z.ZodObject)) return [];
  return Object.entries(at.shape)
    .filter(([, field]) => z.globalRegistry.get(field as z.ZodType)?.['readOnly'] !== true)
    .map(([name]) => name);
}

function bareSchema(schema: unknown): unknown {
  let at = schema;
  for (;;) {
    if (at instanceof z.ZodPipe) at = at.in instanceof z.ZodTransform ? at.out : at.in;
    else if (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.unwrap();
    else if (at instanceof z.ZodNullable) at = at.unwrap();
    else return at;
  }
}
