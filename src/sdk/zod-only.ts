// Finds the places of a zod schema at which the provider accepts values that the API refuses: what changes values while it parses them
// runs only in the provider, and the API checks values as they were written.
import { z } from 'zod';

export interface ZodOnly {
  /** The place in the JSON Schema, such as `properties.size`; empty at the top. */
  readonly place: string;
  readonly why: string;
}

/** @param schema one that `jsonSchemaOf` converts */
export function zodOnlyPlaces(schema: z.ZodType): readonly ZodOnly[] {
  const found: ZodOnly[] = [];
  z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, path }) {
      const why = changeOfValues(zodSchema);
      if (why !== undefined) found.push({ place: path.join('.'), why });
    },
  });
  return found;
}

function changeOfValues({ _zod: { def } }: z.core.$ZodTypes): string | undefined {
  if ('coerce' in def && def.coerce === true) return 'coerce converts values of other types';
  if (def.type === 'catch') return 'catch() replaces values that do not fit';
  if (def.type === 'pipe' && def.in._zod.def.type === 'transform') {
    return 'preprocess() changes values before they are checked';
  }
  return isChecked(def.checks ?? [])
    ? 'trim(), toLowerCase() or another overwrite() changes texts before they are checked'
    : undefined;
}

/** Returns whether a check follows a change: before it, and alone, a change makes no other values acceptable. */
function isChecked(checks: readonly z.core.$ZodCheck[]): boolean {
  const names = checks.map(({ _zod: { def } }) => def.check);
  const first = names.indexOf('overwrite');
  return first >= 0 && names.slice(first).some((name) => name !== 'overwrite');
}
