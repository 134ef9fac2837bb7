// Generates the OpenAPI 3.1 document from the endpoints and the validation schemas, so that they cannot disagree.
import { z } from 'zod';
import type { Exchange } from '../api/contract.ts';
import { errors as errorTable } from '../api/errors.ts';
import { ruleOf } from '../api/permissions.ts';
import { components } from '../api/schemas/components.ts';
import { ErrorBody, ValidationErrorBody } from '../api/schemas/core.ts';
import { webhooks } from '../api/schemas/webhooks.ts';
import { type Endpoint, mayBeAbsent } from './endpoint.ts';

type OpenApiJson = Record<string, unknown>;

/** Version of the interface, which is not that of the program. */
const interfaceVersion = '0.1.0';

const refTo = (id: string) => `#/components/schemas/${id}`;

const generation = {
  io: 'input',
  // zod omits the examples of transforming schemas, because the side they show is ambiguous. Ours show the input.
  override: ({ zodSchema, jsonSchema }) => {
    const examples = z.globalRegistry.get(zodSchema)?.['examples'];
    if (Array.isArray(examples)) jsonSchema.examples = examples;
  },
} satisfies z.core.ToJSONSchemaParams;

/** @returns a document of this release whose answers and parameters are those of `endpoints` */
export function openApiDocument(endpoints: readonly Endpoint[], release: string): OpenApiJson {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead',
      version: interfaceVersion,
      'x-fairlead-version': release,
      description:
        'Declare resources; providers make them real. Times are ISO 8601 in UTC. Unknown query parameters and body fields are rejected with 422. Every response has an X-Request-Id header.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ documentation }) => documentation.tag))].map((name) => ({
      name,
    })),
    paths: pathsOf(endpoints),
    webhooks: webhooks(jsonContent),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
      schemas: componentSchemas(),
    },
    security: [{ bearer: [] }],
  };
}

function componentSchemas(): OpenApiJson {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });
  const generated = z.toJSONSchema(registry, { ...generation, uri: refTo });
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([id, schema]) => [id, withoutMarks(schema)]),
  );
}

/** `$schema` and `$id` repeat what the whole document declares. */
function withoutMarks(schema: object): OpenApiJson {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => name !== '$schema' && name !== '$id'),
  );
}

function pathsOf(endpoints: readonly Endpoint[]): OpenApiJson {
  const paths: Record<string, OpenApiJson> = {};
  for (const endpoint of endpoints) {
    const item = paths[endpoint.path] ?? {};
    paths[endpoint.path] = item;
    item[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return paths;
}

function operation({ id, access, exchange, documentation }: Endpoint): OpenApiJson {
  const { tag, summary, description } = documentation;
  const text = [description, permissionFor(access)].filter((each) => each !== undefined).join(' ');
  const parameters = [
    ...parametersOf('path', exchange.path),
    ...parametersOf('query', exchange.query),
    ...parametersOf('header', exchange.headers && z.object(exchange.headers)),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(text === '' ? {} : { description: text }),
    security: access === 'public' ? [] : [{ bearer: [ruleOf(access).role] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(exchange),
    responses: responsesOf({ access, exchange, documentation }),
  };
}

function permissionFor(access: Endpoint['access']): string | undefined {
  if (access === 'public') return undefined;
  const { role, inProject } = ruleOf(access);
  const confined = inProject ? 'permits it inside that project' : 'does not permit it';
  return `Requires the role ${role}; a token that is confined to a project ${confined}.`;
}

function requestBodyOf({ body, file }: Exchange): OpenApiJson {
  if (file !== undefined) {
    const part = { type: 'string', format: 'binary', description: file.description };
    const schema = { type: 'object', properties: { [file.part]: part }, required: [file.part] };
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
  }
  if (body === undefined) return {};
  return { requestBody: { required: !mayBeAbsent(body), content: jsonContent(body) } };
}

function parametersOf(
  location: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
): OpenApiJson[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, generation);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as OpenApiJson;
    return {
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function responsesOf({
  access,
  exchange,
  documentation,
}: Pick<Endpoint, 'access' | 'exchange' | 'documentation'>): OpenApiJson {
  const { answer, otherAnswers = [], errors = [] } = documentation;
  const responses: OpenApiJson = {
    [answer.status]: {
      description: answer.description,
      ...headerSchemas(answer.headers),
      ...successContent(exchange.answer, answer.type),
    },
  };
  for (const { status, description: text, schema } of otherAnswers) {
    responses[status] = { description: text, content: jsonContent(schema) };
  }
  const failures = new Set<number>(errors.map((code) => errorTable[code].status));
  if (access !== 'public') for (const status of [401, 403, 429, 503]) failures.add(status);
  const { body, file } = exchange;
  const sends = body !== undefined || file !== undefined;
  if (sends) for (const status of [413, 415]) failures.add(status);
  // Even without parameters, because unknown parameters are rejected.
  failures.add(422);
  for (const status of [...failures].sort((left, right) => left - right)) {
    responses[status] = errorResponse(status);
  }
  return responses;
}

function headerSchemas(described: Readonly<Record<string, string>> | undefined): OpenApiJson {
  if (described === undefined) return {};
  const headers = Object.entries(described).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { headers: Object.fromEntries(headers) };
}

function successContent(
  answer: Exchange['answer'],
  type: string | readonly string[] = [],
): OpenApiJson {
  const json = answer === undefined || answer === 'text' ? {} : jsonContent(answer);
  const content = { ...json, ...contentOf([type].flat()) };
  return Object.keys(content).length === 0 ? {} : { content };
}

const meanings: Readonly<Record<number, string>> = {
  400: 'The request cannot be processed; `detail` gives the cause.',
  401: 'The token is missing or invalid.',
  403: 'The token does not permit the operation.',
  404: 'The object does not exist, or belongs to another organization.',
  409: 'The request conflicts with the present state of the object.',
  412: 'The resource is not in the version that `If-Match` or `If-None-Match` requires.',
  413: 'The request body is too large.',
  415: 'The content type or the content encoding of the body is not supported.',
  422: 'The request is invalid, or has an unknown parameter or field. The body lists every violation.',
  429: 'Too many requests of this organization. `Retry-After` gives the seconds to wait.',
  503: 'The service is temporarily unavailable. `Retry-After` gives the seconds to wait.',
};

function contentOf(types: readonly string[]): OpenApiJson {
  return Object.fromEntries(types.map((type) => [type, {}]));
}

const challenge = {
  'WWW-Authenticate':
    '`Bearer`; `resource_metadata` is the address at which clients find out where to sign in (RFC 9728).',
};

function errorResponse(status: number): OpenApiJson {
  const schema = status === 422 ? ValidationErrorBody : ErrorBody;
  const headers = status === 401 ? headerSchemas(challenge) : {};
  return { description: meanings[status] ?? 'An error.', ...headers, content: jsonContent(schema) };
}

function jsonContent(schema: z.ZodType): OpenApiJson {
  const named = Object.entries(components).find(([, component]) => component === schema);
  const body =
    named === undefined
      ? withoutMarks(z.toJSONSchema(schema, generation))
      : { $ref: refTo(named[0]) };
  return { 'application/json': { schema: body } };
}
