// The order of the fields of a schema, stored beside it in a definition and in a build.
import { freeForm } from './define.ts';

export const fieldOrder = freeForm(
  'Names of the fields in the order of the schema, by the JSON Pointer of what lists them, as the API server sorts them. Absent where they are sorted.',
).optional();
