// Every pure function of src that gets a schema, config, answer or log of a tenant, with its worst input. `npm run bench -- worst-inputs`
// measures them, and the tests count what they read.
import { markInputs } from './marks.ts';
import { referenceInputs } from './references.ts';
import type { WorstInput } from './row.ts';
import { schemaInputs } from './schemas.ts';
import { valueInputs } from './values.ts';

export const worstInputs: readonly WorstInput[] = [
  ...markInputs,
  ...referenceInputs,
  ...schemaInputs,
  ...valueInputs,
];
