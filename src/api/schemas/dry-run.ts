// Defines the parameter of changes that can be previewed.
import { z } from 'zod';

export const dryRunName = 'dry_run';

/** A part of the query of a change that can be previewed. */
export const dryRun = {
  [dryRunName]: z
    .boolean()
    .default(false)
    .describe(
      'Checks the request and answers as if it were carried out, but changes nothing. `Fairlead-Plan` names the change.',
    ),
};
