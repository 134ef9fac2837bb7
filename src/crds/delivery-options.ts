// Declares the options of a type for the delivery of its events: in ResourceDefinitions and Builds, and as builds report it.
import { z } from 'zod';
import {
  maxAttemptsOfType,
  maxConcurrency,
  maxDelaySecondsOfType,
  operationLimitRange,
} from '../domain/delivery-options.ts';
import { maxTimeoutSeconds } from '../domain/event.ts';
import { intervalMs, intervalPattern } from '../domain/observation/interval.ts';

const timeoutSeconds = z.int().min(1).max(maxTimeoutSeconds);
const attempts = z.int().min(1).max(maxAttemptsOfType);
const operationLimitSeconds = z.int().min(operationLimitRange.min).max(operationLimitRange.max);
/** The concurrency of a type, and of a provider. */
export const concurrency = z.int().min(1).max(maxConcurrency);
const observeEvery = z.string().max(7).regex(intervalPattern);
const delaySeconds = z.int().min(1).max(maxDelaySecondsOfType);

export const deliveryOptions = {
  timeoutSeconds: timeoutSeconds
    .optional()
    .describe(
      'Seconds that a handler may run while its provider sends 102 every few seconds. Default: 30.',
    ),
  retry: z
    .object({
      attempts: attempts
        .optional()
        .describe('Attempts of one event in total. The default of the installation when absent.'),
      maxDelaySeconds: delaySeconds
        .optional()
        .describe(
          'Longest random wait between two attempts, in seconds. The default of the installation when absent.',
        ),
    })
    .meta({ minProperties: 1 })
    .optional()
    .describe('How often, and after which waits, a failed event of the type is tried again.'),
  cancellable: z
    .boolean()
    .optional()
    .describe('Whether a deletion ends the handler in flight with a CANCEL event.'),
  cancelsOperations: z
    .boolean()
    .optional()
    .describe(
      'Whether a deletion ends an operation under way with a CANCEL event, before it sends the DELETE.',
    ),
  concurrency: concurrency
    .optional()
    .describe(
      'Events of the type that are delivered at a time, across all pods. No limit of its own by default.',
    ),
  operationLimitSeconds: operationLimitSeconds
    .optional()
    .describe(
      'Seconds that an operation of the type may take. The limit of the installation by default.',
    ),
  observe: z
    .boolean()
    .optional()
    .describe(
      'Whether the provider observes objects of the type: drift, imports, read-only resources.',
    ),
  observeEvery: observeEvery
    .optional()
    .describe('How often a resource of the type is observed. Default: 1h.'),
  listable: z
    .boolean()
    .optional()
    .describe('Whether the provider lists the objects of the type that exist.'),
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
  concurrency: concurrency.optional(),
  operation_limit_seconds: operationLimitSeconds.optional(),
  observe: z.boolean().optional(),
  observe_every: observeEvery.refine((text) => intervalMs(text) !== undefined).optional(),
  listable: z.boolean().optional(),
};
