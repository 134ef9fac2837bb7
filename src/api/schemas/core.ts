// Defines the shapes of requests and responses, for validation and for the OpenAPI document.
import { z } from 'zod';
import { providerPattern, typePattern } from '../../domain/identity.ts';
import { maxTypeVersion } from '../../domain/type-version.ts';
import type { JsonObject } from '../../lib/json.ts';

export const ProviderName = z
  .string()
  .max(40)
  .regex(
    providerPattern,
    'Input should be lower-case letters, digits and hyphens between them, such as postgres',
  )
  .describe('Name of the provider, a DNS label.')
  .meta({ examples: ['postgres'] });
export const TypeName = z
  .string()
  .max(63)
  .regex(
    typePattern,
    'Input should be a lower-case letter, then lower-case letters, digits, - and _, such as database',
  )
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
export const Progress = z.object({
  done: z.number().nullable().describe('How much is done.'),
  total: z
    .number()
    .nullable()
    .describe('The amount of which `done` is a part. Null when it is unknown.'),
  message: z.string().nullable().describe('Message of the provider about it. Secrets are masked.'),
});
export const Timestamp = z.iso
  .datetime()
  .describe('Time in ISO 8601, UTC.')
  .meta({ examples: ['2026-01-31T12:00:00.000Z'] });

/** Any JSON object. The cast is safe because the strict body parser returns only JSON values. */
export const freeForm = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);
type Ignored<Names extends PropertyKey> = { [Name in Names]: z.ZodOptional<z.ZodUnknown> };

/** @returns a request with `members` that ignores what else its record has: a client can send a fetched record back */
export function sentBack<
  Shape extends Readonly<Record<string, z.ZodType>>,
  Members extends z.ZodRawShape,
>(
  { shape }: z.ZodObject<Shape>,
  members: Members,
): z.ZodObject<Members & Ignored<Exclude<keyof Shape, keyof Members>>, z.core.$strict> {
  const ignored = Object.entries(shape)
    .filter(([name]) => !Object.hasOwn(members, name))
    .map(([name, { description = '' }]) => {
      const text = `${description} Ignored when sent.`.trim();
      return [name, z.unknown().optional().describe(text).meta({ readOnly: true })] as const;
    });
  const others = Object.fromEntries(ignored) as Ignored<Exclude<keyof Shape, keyof Members>>;
  return z.strictObject({ ...members, ...others });
}

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

export const TypeVersion = z.int().min(1).max(maxTypeVersion);

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
  help: z.string().optional().describe('Advice for the caller, in words for people.'),
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
