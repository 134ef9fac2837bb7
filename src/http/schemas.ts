// The shapes of requests and answers. They validate what comes in and describe the interface in the OpenAPI document.
import { z } from 'zod';
import {
  namePattern,
  parseResourceAddress,
  providerPattern,
  typePattern,
} from '../domain/identity.ts';
import type { JsonObject } from '../domain/json.ts';
import { lifecycleStates } from '../domain/lifecycle.ts';

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
const ResourceName = z
  .string()
  .max(200)
  .regex(namePattern)
  .describe('Name of the resource within its type.')
  .meta({ examples: ['orders'] });
export const ProjectId = z
  .string()
  .min(1)
  .max(63)
  .describe('Identifier of a project.')
  .meta({ examples: ['default-0f1e2d3c4b5a'] });
const Tag = z.string().min(1).max(256);
export const Timestamp = z.iso
  .datetime()
  .describe('ISO 8601, UTC.')
  .meta({ examples: ['2026-01-31T12:00:00.000Z'] });

/** Any JSON object. The cast says what the strict reader of bodies made sure of: its values are JSON. */
const freeForm = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);
const example = { name: 'orders', connectionLimit: 20 };

/** What a fetched record carries and an apply does not take: accepted and ignored, so that a record can be sent back. */
const ignored = (description: string) =>
  z.unknown().optional().describe(`${description} Ignored when sent.`).meta({ readOnly: true });

export const ResourceTuple = z.strictObject({
  provider: ProviderName,
  resource: TypeName,
  name: ResourceName,
});

export const ResourceIdPath = z.object({
  resource_id: z
    .string()
    .describe(
      'One of `resource:{provider}_{resource}_{name}`, `{provider}:{resource}:{name}` and `{provider}/{resource}/{name}`, percent-encoded.',
    )
    .meta({ examples: ['resource:postgres_database_orders'] })
    .transform((text, context) => {
      const address = parseResourceAddress(text);
      if (address !== undefined) return address;
      context.issues.push({
        code: 'custom',
        message:
          'Input should be a resource identifier: resource:{provider}_{resource}_{name}, {provider}:{resource}:{name} or {provider}/{resource}/{name}',
        input: text,
      });
      return z.NEVER;
    }),
});
export const DeleteResourceQuery = z.object({
  force: z
    .boolean()
    .default(false)
    .describe(
      'Delete it although others use it, and let it go although its provider is not there or cannot delete what it made. What may remain outside is kept in a receipt. Also for one that is being deleted already.',
    ),
});
export const ResourceTuplePath = z.object(ResourceTuple.shape);
export const TypePath = z.object({ provider: ProviderName, resource: TypeName });
export const ProjectPath = z.object({ project_id: ProjectId });

const committedStates: readonly unknown[] = ['processing', 'ready', 'failed'];

/** A fetched record, recognised by its `id`, says how far it has come; sent back, that means that it is to be there. */
function readRecordSentBack(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'id')) return body;
  const { lifecycle_state } = body as Record<string, unknown>;
  return committedStates.includes(lifecycle_state) ? { ...body, lifecycle_state: 'pending' } : body;
}

export const ApplyResource = z
  .preprocess(
    readRecordSentBack,
    z.strictObject({
      provider: ProviderName,
      resource: TypeName,
      name: ResourceName,
      config: freeForm
        .describe('Configuration, as the schema of the type defines it.')
        .meta({ examples: [example] }),
      lifecycle_state: z
        .enum(['draft', 'pending'])
        .default('draft')
        .describe(
          '`draft`: stored only. `pending`: validated and handed to the provider. In a fetched record that is sent back (it has an `id`), `processing`, `ready` and `failed` mean `pending`.',
        ),
      tags: z
        .array(Tag)
        .max(64)
        .nullable()
        .optional()
        .describe('Words to filter lists by. Omitted: kept as they are; null or empty: cleared.'),
      project_id: ProjectId.nullable()
        .optional()
        .describe('Project the resource belongs to; the default project when absent. Immutable.'),
      dependencies: z
        .array(ResourceTuple)
        .max(64)
        .optional()
        .describe(
          'Resources that must be ready before this one is processed. Omitted: kept as they are.',
        ),
      id: ignored('Identifier.'),
      outputs: ignored('What the provider produced.'),
      error: ignored('The recorded failure.'),
      reason: ignored('Why the resource is in its state.'),
      created_at: ignored('When it was created.'),
      updated_at: ignored('When it last changed.'),
    }),
  )
  .meta({
    examples: [
      {
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        config: example,
        lifecycle_state: 'pending',
      },
    ],
  });

export const ResourceRecord = z
  .object({
    id: z.string().describe('`resource:{provider}_{resource}_{name}`'),
    provider: ProviderName,
    resource: TypeName,
    name: ResourceName,
    project_id: ProjectId,
    lifecycle_state: z.enum(lifecycleStates).describe('How far the resource has come.'),
    reason: z.string().describe('Why it is in this state, in one word.'),
    config: freeForm.describe('Configuration, as it was sent.'),
    outputs: freeForm.describe('What the provider produced; empty until then.'),
    tags: z.array(Tag).nullable(),
    error: z.string().nullable().describe('The recorded failure.'),
    dependencies: z.array(ResourceTuple),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    examples: [
      {
        id: 'resource:postgres_database_orders',
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        project_id: 'default-0f1e2d3c4b5a',
        lifecycle_state: 'ready',
        reason: 'Processed',
        config: example,
        outputs: { host: '127.0.0.1', database: 'orders' },
        tags: ['team-a'],
        error: null,
        dependencies: [],
        created_at: '2026-01-31T12:00:00.000Z',
        updated_at: '2026-01-31T12:00:02.000Z',
      },
    ],
  });
export const ResourceRecords = z.array(ResourceRecord);

export const ListResources = z.object({
  provider: ProviderName.optional(),
  resource: TypeName.optional(),
  tags: z.array(Tag).max(64).optional().describe('Repeatable; a resource must have every one.'),
  lifecycle_state: z.enum(lifecycleStates).optional(),
  project_id: ProjectId.optional(),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('At most this many, with a `Link` header when there are more.'),
  cursor: z.string().max(1_024).optional().describe('From the `Link` header of the page before.'),
});

const jsonSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

export const RegisterType = z
  .strictObject({
    provider: ProviderName,
    resource: TypeName,
    description: z.string().max(4_096).default('').describe('What the type is for.'),
    schema: freeForm
      .nullable()
      .optional()
      .describe('JSON Schema of `config`. Absent: any object.')
      .meta({ examples: [jsonSchema] }),
    tags: z.array(Tag).max(64).nullable().optional(),
    created_at: ignored('When it was registered.'),
    updated_at: ignored('When it last changed.'),
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

export const ResourceDefinition = z.object({
  provider: ProviderName,
  resource: TypeName,
  description: z.string(),
  schema: freeForm.nullable().describe('JSON Schema of `config`; null: any object.'),
  tags: z.array(Tag).nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const ResourceDefinitions = z.array(ResourceDefinition);

export const Me = z.object({
  organization_id: z.string().describe('Organization the token acts for.'),
  issuer: z.string().describe('Who issued the token.'),
  organization_name: z
    .string()
    .nullable()
    .describe('Name of the organization: the claim `organization_name` or `org_name`, or null.'),
  subject: z.string().describe('Whom it was issued to.'),
  user_id: z.string().describe('Same as `subject`.'),
  email: z.string().nullable().describe('The claim `email`, or null.'),
  role: z.enum(['viewer', 'editor', 'admin']),
  project_id: z.string().nullable().describe('The one project a platform token is confined to.'),
  namespace: z.string().describe('Kubernetes namespace of the organization.'),
});

export const Health = z.object({ status: z.string() }).meta({ examples: [{ status: 'ok' }] });

export const Readiness = z.object({
  status: z.enum(['ready', 'unready']),
  checks: z.record(z.string(), z.boolean()).describe('What must be true, each for itself.'),
});

export const KeySet = z
  .object({ keys: z.array(z.record(z.string(), z.unknown())) })
  .describe('JSON Web Key Set: the public keys that events to providers are signed with.');

export const ErrorBody = z
  .object({
    detail: z.string().describe('What went wrong, for people.'),
    code: z.string().optional().describe('What went wrong, for programs.'),
  })
  .meta({ examples: [{ detail: 'Not authenticated', code: 'unauthenticated' }] });

export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .describe('Where, from `body`, `path` or `query` on.'),
        msg: z.string().describe('What is wrong.'),
        type: z.string().describe('Which rule was broken.'),
        input: z.unknown().optional().describe('What was given.'),
        ctx: z.record(z.string(), z.unknown()).optional().describe('Figures of the rule.'),
      }),
    ),
  })
  .meta({
    examples: [
      { detail: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing', input: {} }] },
    ],
  });
