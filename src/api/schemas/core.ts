// Defines the shapes of requests and responses, for validation and for the OpenAPI document.
import { z } from 'zod';
import {
  maxAttemptsOfType,
  maxConcurrency,
  maxDelaySecondsOfType,
  operationLimitRange,
} from '../../domain/delivery-options.ts';
import { maxTimeoutSeconds } from '../../domain/event.ts';
import { providerPattern, typePattern } from '../../domain/identity.ts';
import type { JsonObject } from '../../lib/json.ts';
import { dryRun } from './dry-run.ts';

export const ProviderName = z
  .string()
  .max(40)
  .regex(providerPattern)
  .describe('Name of the provider, a DNS label.')
  .meta({ examples: ['postgres'] });
export const TypeName = z
  .string()
  .max(63)
  .regex(typePattern)
  .describe('Name of the resource type within its provider.')
  .meta({ examples: ['database'] });
export const ProjectId = z
  .string()
  .min(1)
  .max(63)
  .describe('Identifier of a project.')
  .meta({ examples: ['default-0f1e2d3c4b5a'] });
/** Where a request names a project. */
export const ProjectReference = z
  .string()
  .min(1)
  .max(256)
  .describe('Identifier of a project, or its name. An identifier wins over a name.')
  .meta({ examples: ['default'] });
export const ProjectName = z
  .string()
  .optional()
  .describe(
    'Name of that project; its identifier when the project is gone, or the name means another one.',
  )
  .meta({ examples: ['default'] });
/** Beside a subject: text of an identity provider, which its user may choose. */
export const NameOfSubject = z
  .string()
  .optional()
  .describe('Name of that subject, as its token showed it. Absent when it is not known.')
  .meta({ examples: ['ada@example.com'] });
export const Tag = z.string().min(1).max(256);
export const Timestamp = z.iso
  .datetime()
  .describe('Time in ISO 8601, UTC.')
  .meta({ examples: ['2026-01-31T12:00:00.000Z'] });

/** Any JSON object. The cast is safe because the strict body parser returns only JSON values. */
export const freeForm = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);
/** Fields of a fetched record that an apply ignores: accepted, so that a client can send a record back. */
export const ignored = (description: string) =>
  z.unknown().optional().describe(`${description} Ignored when sent.`).meta({ readOnly: true });

/** Query parameters of a list that is served in pages. */
export const page = {
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Maximum number of items. A `Link` header is set when there are more.'),
  cursor: z
    .string()
    .max(1_024)
    .optional()
    .describe('Cursor from the `Link` header of the previous page.'),
};

export const TypePath = z.object({ provider: ProviderName, resource: TypeName });
export const ProjectPath = z.object({ project_id: ProjectReference });

const jsonSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

const TimeoutSeconds = z
  .int()
  .min(1)
  .max(maxTimeoutSeconds)
  .describe(
    'Seconds that a handler may run while its provider sends 102 every few seconds. Default: 30.',
  );

const Retry = z
  .strictObject({
    attempts: z
      .int()
      .min(1)
      .max(maxAttemptsOfType)
      .optional()
      .describe('Attempts of one event in total. The default of the installation when absent.'),
    max_delay_seconds: z
      .int()
      .min(1)
      .max(maxDelaySecondsOfType)
      .optional()
      .describe(
        'Longest random wait between two attempts, in seconds. The default of the installation when absent.',
      ),
  })
  .refine((retry) => Object.keys(retry).length > 0, {
    message: 'Set attempts, max_delay_seconds, or both',
  })
  .describe('How often, and after which waits, a failed event of the type is tried again.')
  .meta({ minProperties: 1, examples: [{ attempts: 12, max_delay_seconds: 300 }] });

const Concurrency = z
  .int()
  .min(1)
  .max(maxConcurrency)
  .describe(
    'Events of the type that are delivered at a time, across all pods. No limit of its own by default.',
  );

const OperationLimitSeconds = z
  .int()
  .min(operationLimitRange.min)
  .max(operationLimitRange.max)
  .describe(
    'Seconds that an operation of the type may take. The limit of the installation by default.',
  );

const cancellable = 'Whether a deletion ends the handler in flight with a CANCEL event.';
const cancelsOperations =
  'Whether a deletion ends an operation under way with a CANCEL event, before it sends the DELETE.';

export const RegisterType = z
  .strictObject({
    provider: ProviderName,
    resource: TypeName,
    description: z.string().max(4_096).default('').describe('Description of the type.'),
    schema: freeForm
      .nullable()
      .optional()
      .describe('JSON Schema of `config`. Any object is valid when absent.')
      .meta({ examples: [jsonSchema] }),
    timeout_seconds: TimeoutSeconds.nullable().optional(),
    retry: Retry.nullable().optional(),
    cancellable: z.boolean().nullable().optional().describe(cancellable),
    cancels_operations: z.boolean().nullable().optional().describe(cancelsOperations),
    concurrency: Concurrency.nullable().optional(),
    operation_limit_seconds: OperationLimitSeconds.nullable().optional(),
    tags: z.array(Tag).max(64).nullable().optional(),
    retired: ignored('Whether the version that serves lacks the type.'),
    incompatible_count: ignored('Of a preview.'),
    incompatible_resources: ignored('Of a preview.'),
    created_at: ignored('Time of the first registration.'),
    updated_at: ignored('Time of the last change.'),
  })
  .meta({
    examples: [
      {
        provider: 'postgres',
        resource: 'database',
        description: 'A PostgreSQL database with its own role',
        schema: jsonSchema,
      },
    ],
  });

export const RegisterTypeQuery = z.object({
  strict: z
    .boolean()
    .default(false)
    .describe('Rejects a schema that does not fit the configs of existing resources.'),
  ...dryRun,
});

export const ResourceDefinition = z.object({
  provider: ProviderName,
  resource: TypeName,
  description: z.string(),
  schema: freeForm.nullable().describe('JSON Schema of `config`. Any object is valid when null.'),
  timeout_seconds: TimeoutSeconds.nullable(),
  retry: Retry.nullable().describe('The defaults of the installation when null.'),
  cancellable: z.boolean().describe(cancellable),
  cancels_operations: z.boolean().describe(cancelsOperations),
  concurrency: Concurrency.nullable(),
  operation_limit_seconds: OperationLimitSeconds.nullable(),
  tags: z.array(Tag).nullable(),
  retired: z
    .boolean()
    .describe(
      'True when the version of the provider that serves lacks the type: its resources stay readable, and it accepts no changes.',
    ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const ResourceDefinitions = z.array(ResourceDefinition);

export const RegisteredType = ResourceDefinition.extend({
  incompatible_count: z
    .int()
    .min(0)
    .optional()
    .describe(
      'With `dry_run=true`, the number of resources whose configs do not fit the schema. Otherwise absent.',
    ),
  incompatible_resources: z
    .array(z.string())
    .max(20)
    .optional()
    .describe('With `dry_run=true`, the ids of the first of these resources. Otherwise absent.'),
});

const Amounts = z.object({
  resources: z.int().min(0).describe('Number of resources, drafts included.'),
  resource_bytes: z.int().min(0).describe('Size of all resources as JSON.'),
});

export const Me = z.object({
  organization_id: z.string().describe('Organization of the token.'),
  issuer: z.string().describe('Issuer of the token.'),
  organization_name: z
    .string()
    .nullable()
    .describe('Name of the organization: the claim `organization_name` or `org_name`, or null.'),
  subject: z.string().describe('Subject of the token.'),
  user_id: z.string().describe('Same as `subject`.'),
  email: z.string().nullable().describe('The claim `email`, or null.'),
  role: z.enum(['viewer', 'editor', 'admin']),
  project_id: z.string().nullable().describe('Project to which a platform token is confined.'),
  namespace: z.string().describe('Kubernetes namespace of the organization.'),
  display: z
    .string()
    .describe(
      'Name to show for the caller: the claim `preferred_username`, `email` or `name`, or the subject.',
    ),
  limits: Amounts.describe('Limits of the organization.'),
  usage: Amounts.describe('Present use of the limits. It may lag behind by a moment.'),
});

export const Health = z.object({ status: z.string() }).meta({ examples: [{ status: 'ok' }] });

export const Readiness = z.object({
  status: z.enum(['ready', 'unready']),
  checks: z.record(z.string(), z.boolean()).describe('Result of each check.'),
});

export const KeySet = z
  .object({ keys: z.array(z.record(z.string(), z.unknown())) })
  .describe('JSON Web Key Set with the public keys that verify signatures of events to providers.');

/** Members of every error that clients may ignore. */
const besides = {
  help: z.string().optional().describe('What the caller can do, for people.'),
  request_id: z.string().optional().describe('Id of the request in the log of the API.'),
};

export const ErrorBody = z
  .object({
    detail: z.string().describe('Explanation of the error for people.'),
    code: z.string().optional().describe('Error code for programs.'),
    ...besides,
    context: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Facts of the error for programs; its members depend on the code.'),
  })
  .meta({ examples: [{ detail: 'Not authenticated', code: 'unauthenticated' }] });

export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .describe(
            'Location of the violation, starting with `body`, `path`, `query` or `header`.',
          ),
        msg: z.string().describe('Explanation of the violation.'),
        type: z.string().describe('Identifier of the violated rule.'),
        input: z.unknown().optional().describe('Rejected input.'),
        ctx: z.record(z.string(), z.unknown()).optional().describe('Parameters of the rule.'),
      }),
    ),
    code: z
      .string()
      .optional()
      .describe('Error code, when the request is well-formed and another rule refuses it.'),
    ...besides,
  })
  .meta({
    examples: [
      { detail: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing', input: {} }] },
    ],
  });
