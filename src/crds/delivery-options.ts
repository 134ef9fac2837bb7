// Declares what a type says about the delivery of its events: in ResourceDefinitions and Builds, and as builds report it.
import { z } from 'zod';
import { maxAttemptsOfType, maxDelaySecondsOfType } from '../domain/delivery-options.ts';
import { maxTimeoutSeconds } from '../domain/event.ts';

const timeoutSeconds = z.int().min(1).max(maxTimeoutSeconds);
const attempts = z.int().min(1).max(maxAttemptsOfType);
const delaySeconds = z.int().min(1).max(maxDelaySecondsOfType);

export const deliveryOptions = {
  timeoutSeconds: timeoutSeconds
    .optional()
    .describe(
      'Seconds that a handler may run, as long as its provider shows that it is alive; default 30.',
    ),
  retry: z
    .object({
      attempts: attempts
        .optional()
        .describe('Attempts of one event in total. The default of the installation when absent.'),
      maxDelaySeconds: delaySeconds
        .optional()
        .describe(
          'Longest wait between two attempts in seconds. The default of the installation when absent.',
        ),
    })
    .meta({ minProperties: 1 })
    .optional()
    .describe('How often, and after which waits, a failed event of the type is tried again.'),
  cancellable: z
    .boolean()
    .optional()
    .describe('Whether a deletion asks the provider to end the handler in flight; default false.'),
  cancelsOperations: z
    .boolean()
    .optional()
    .describe(
      'Whether a deletion asks the provider to end an operation under way, before it sends the DELETE; default false.',
    ),
};

/** In the report of a build. */
export const reportedOptions = {
  timeout_seconds: timeoutSeconds.optional(),
  retry: z
    .object({ attempts: attempts.optional(), max_delay_seconds: delaySeconds.optional() })
    .refine((retry) => Object.keys(retry).length > 0)
    .optional(),
  cancellable: z.boolean().optional(),
  cancels_operations: z.boolean().optional(),
};
