// Defines the webhooks of the OpenAPI document: the events that Fairlead sends to providers. docs/provider-protocol.md
// explains the same. The compiler and a test keep the body schema equal to the sent events.
import { z } from 'zod';
import { cloudEventType, deliveredTypes, type EventBody, eventTypes } from '../../domain/event.ts';
import { maxTypeVersion } from '../../domain/type-version.ts';

const Json = z.record(z.string(), z.unknown());
const TypeVersion = z.int().min(1).max(maxTypeVersion);

export const ProviderEvent = z
  .object({
    event_id: z
      .string()
      .describe(
        'Identifier of the event and idempotency key, the same for every attempt and every retry.',
      ),
    event_type: z
      .enum(deliveredTypes)
      .describe(
        'CANCEL is sent only for types with `cancellable` or `cancels_operations`, while their resource is being deleted.',
      ),
    organization_id: z.string(),
    project_id: z.string(),
    provider: z.string(),
    resource: z.string(),
    name: z.string(),
    config: Json.describe('Wanted config, with references replaced by values.'),
    schema_version: TypeVersion.describe('Version of the type by whose schema `config` is read.'),
    previous_config: Json.nullable().describe(
      'Config of the last successful event. Null on CREATE.',
    ),
    previous_schema_version: TypeVersion.nullable().describe(
      'Version of the type that `previous_config` has. Null with it.',
    ),
    outputs: Json.describe('Outputs of the last successful event. Empty before the first success.'),
    outputs_schema_version: TypeVersion.describe('Version of the type that `outputs` have.'),
    attempt: z
      .int()
      .min(1)
      .describe('Number of the attempt, starting at 1. An answer 202 does not increase it.'),
    sequence: z
      .int()
      .min(1)
      .describe('Fencing token, greater than in every earlier delivery for this resource.'),
    generation: z.int().describe('Generation of the Resource for which the event was created.'),
    context: Json.nullable().describe('Context of the last answer 202. Null before the first one.'),
    cancels: z
      .object({
        event_id: z.string().describe('Identifier of the event whose work is to end.'),
        event_type: z.enum(eventTypes).exclude(['DELETE', 'OBSERVE']),
        operation: z
          .boolean()
          .describe(
            'True: end the operation that the event began with 202. False: end the handler that runs for it.',
          ),
      })
      .optional()
      .describe('Event that a CANCEL ends. Only on CANCEL.'),
    adopt: Json.nullable()
      .optional()
      .describe(
        'Identifies an object that Fairlead did not create; null for one that it did. Only on OBSERVE.',
      ),
    secrets: z
      .array(z.string())
      .optional()
      .describe(
        'JSON Pointers (RFC 6901) in this body of values that are recorded as secret: marked by a schema of the type, or secret outputs of other resources. Absent when there are none. Do not print them.',
      ),
  } satisfies Record<keyof EventBody, z.ZodType>)
  .meta({
    examples: [
      {
        event_id: 'evt-0f8fad5bd9cb469fa16570867728950e',
        event_type: 'CREATE',
        organization_id: 'acme',
        project_id: 'default-d4ab8dc05ddb',
        provider: 'notes',
        resource: 'note',
        name: 'first',
        config: { text: 'hello' },
        schema_version: 1,
        previous_config: null,
        previous_schema_version: null,
        outputs: {},
        outputs_schema_version: 1,
        attempt: 1,
        sequence: 1,
        generation: 1,
        context: null,
      },
    ],
  });

export const ProviderSucceeded = z
  .object({
    outputs: Json.describe('At most 256 KiB.'),
    outputs_schema_version: TypeVersion.optional().describe(
      'Version of the type that the outputs have. When absent, the one that served when the event was sent.',
    ),
  })
  .meta({ examples: [{ outputs: { url: 'https://notes.example/first' } }] });

export const ProviderInProgress = z
  .object({
    retry_after: z
      .number()
      .min(1)
      .max(300)
      .optional()
      .describe('Seconds until the next delivery. Default: the Retry-After header, otherwise 1.'),
    message: z
      .string()
      .max(4_096)
      .optional()
      .describe('Message that is shown as the `message` of the resource.'),
    context: Json.optional().describe(
      'Context that is sent with the next delivery. At most 16 KiB.',
    ),
  })
  .meta({ examples: [{ retry_after: 5, message: 'The disk is copied', context: { job: 17 } }] });

export const ProviderFailed = z
  .object({
    error: z.object({ code: z.string().max(64), message: z.string().max(4_096) }),
    log: z
      .array(z.string())
      .optional()
      .describe(
        'The last lines that the provider logged for the event, the newest last. The last 50, and 16 KiB, are kept in its dead letter.',
      ),
  })
  .meta({
    examples: [
      { error: { code: 'too_large', message: 'No note is that long' }, log: ['The note has 9 MB'] },
    ],
  });

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

/**
 * @param content creates the content of a body from its schema
 * @returns the member `webhooks` of the document
 */
export function webhooks(content: (schema: z.ZodType) => object): object {
  const answer = (description: string, schema?: z.ZodType) => ({
    description,
    ...(schema === undefined ? {} : { content: content(schema) }),
  });
  return {
    resourceEvent: {
      post: {
        operationId: 'receiveResourceEvent',
        tags: ['Events to providers'],
        summary: 'An event of a resource, for its provider',
        description:
          'A CloudEvent 1.0 in binary mode. The bearer token is a JWT of Fairlead, signed with a key of /.well-known/jwks.json: issuer `fairlead`, audience `provider:{organization_id}/{provider}`, subject the event id, `body_sha256` the digest of the body in hexadecimal, valid for 60 seconds. Delivery is at least once; the provider must answer within 30 seconds, or within `timeout_seconds` of the type while it sends 102 (Processing) at least every 30 seconds.',
        parameters: [
          header('ce-id', 'Same as `event_id`.'),
          header('ce-type', 'Type of the event.', { enum: Object.values(cloudEventType) }),
          header('ce-subject', '`provider/resource/name`.'),
          header('ce-attempt', 'Same as `attempt`.'),
          header('ce-sequence', 'Same as `sequence`, padded with zeros.'),
        ],
        requestBody: { required: true, content: content(ProviderEvent) },
        responses: {
          200: answer(
            'The event succeeded. For DELETE and CANCEL, any 2xx except 202 means success.',
            ProviderSucceeded,
          ),
          202: answer(
            'The operation is not finished. The event is sent again after the given time.',
            ProviderInProgress,
          ),
          '4XX': answer(
            'The event failed and is not retried, except after 408, 425 and 429.',
            ProviderFailed,
          ),
          '5XX': answer(
            'The event is retried with exponential backoff, as often as its type allows: eight attempts in total by default.',
          ),
        },
      },
    },
  };
}
