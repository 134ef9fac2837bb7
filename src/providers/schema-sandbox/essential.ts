// Ajv reports, for a value that matches no branch of `anyOf`, what is wrong with it in every branch, and then that it
// matches none. This leaves one error for each thing a reader has to put right. Pure.
import type { ErrorObject } from 'ajv';

const composites = ['anyOf', 'oneOf', 'not', 'contains'];

export function essential(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  for (const [index, error] of errors.entries()) {
    if (composites.includes(error.keyword)) {
      for (const earlier of errors.slice(0, index)) {
        if (isDetailOf(earlier, error)) dropped.add(earlier);
      }
    }
    if (isCoveredByDetails(error, errors)) dropped.add(error);
  }
  return errors.filter((error) => !dropped.has(error));
}

/** Details come before their composite; behind a `$ref` their path starts anew at the definition. */
function isDetailOf(detail: ErrorObject, composite: ErrorObject): boolean {
  if (!isWithin(detail.instancePath, composite.instancePath)) return false;
  const around = composite.schemaPath.slice(0, composite.schemaPath.lastIndexOf('/'));
  return isWithin(detail.schemaPath, composite.schemaPath) || !isWithin(detail.schemaPath, around);
}

/** `if` and `propertyNames` only say that there are other errors. */
function isCoveredByDetails(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  if (error.keyword === 'if') return errors.length > 1;
  if (error.keyword !== 'propertyNames') return false;
  return errors.some(
    (other) =>
      other.instancePath === error.instancePath &&
      other.propertyName !== undefined &&
      other.propertyName === error.params['propertyName'],
  );
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
