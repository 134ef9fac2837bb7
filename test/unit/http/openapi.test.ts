// The document as a client gets it: from the real server, which needs no store to say what it does.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ProviderEvent } from '../../../src/api/schemas/webhooks.ts';
import { eventBody, eventHeaders, type OutgoingEvent } from '../../../src/events/protocol.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { type AppDeps, createApp, defaultHttpLimits } from '../../../src/http/server.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { noAudit } from '../../support/fixtures/api/no-audit.ts';

const Schema = z.record(z.string(), z.unknown());
const Content = z.record(
  z.string().regex(/^[*\w.-]+\/[*\w.+-]+$/),
  z.strictObject({ schema: Schema.optional() }),
);
const Header = z.strictObject({ description: z.string().min(1), schema: Schema });
const Parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: Schema,
});
const Operation = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z]+$/),
  tags: z.array(z.string()).min(1),
  summary: z.string().min(1),
  description: z.string().min(1).optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z.array(Parameter).optional(),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5][0-9]{2}$/),
    z.strictObject({
      description: z.string().min(1),
      headers: z.record(z.string(), Header).optional(),
      content: Content.optional(),
    }),
  ),
});
const Webhook = Operation.extend({
  parameters: z.array(Parameter.extend({ in: z.literal('header') })),
  responses: z.record(
    z.string().regex(/^[1-5](?:[0-9]{2}|XX)$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
});
const Path = z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation);
const Document = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    'x-fairlead-version': z.string(),
    description: z.string(),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.strictObject({ url: z.string() })),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(z.string().startsWith('/'), Path),
  webhooks: z.record(z.string(), z.strictObject({ post: Webhook })),
  components: z.strictObject({
    securitySchemes: z.strictObject({ bearer: z.record(z.string(), z.string()) }),
    schemas: z.record(z.string().regex(/^[A-Za-z]+$/), Schema),
  }),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});

let listening: Listening;
let raw: unknown;
let document: z.output<typeof Document>;

beforeAll(async () => {
  const standing = { clock: systemClock, log: silentLog, audit: noAudit };
  const deps = { limits: defaultHttpLimits, release: '1.2.3', ...standing };
  const app = createApp(deps as unknown as AppDeps);
  listening = await listen(app, { host: '127.0.0.1', port: 0 });
  const answer = await fetch(`http://127.0.0.1:${listening.port}/openapi.json`);
  raw = await answer.json();
  document = Document.parse(raw);
});

afterAll(() => listening.close(0));

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: z.output<typeof Operation>;
}

function operations(): readonly Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

function references(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

function resolve(reference: string): unknown {
  let at: unknown = raw;
  for (const part of reference.replace(/^#\//, '').split('/')) {
    at = (at as Record<string, unknown> | undefined)?.[part];
  }
  return at;
}

describe('references', () => {
  it('resolve within the document', () => {
    const all = references(raw);
    expect(all.length).toBeGreaterThan(10);
    for (const each of all) {
      expect(each, 'only fragments can be resolved without a network').toMatch(/^#\//);
      expect(resolve(each), each).toBeTypeOf('object');
    }
  });

  it('use every component', () => {
    const used = new Set(references(raw));
    for (const name of Object.keys(document.components.schemas)) {
      expect(used.has(`#/components/schemas/${name}`), name).toBe(true);
    }
  });
});

describe('operations', () => {
  it('have unique ids', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('declare exactly the parameters of their path', () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((each) => each.in === 'path');
      expect(
        declared.map(({ name }) => name),
        path,
      ).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('use declared tags', () => {
    const declared = document.tags.map(({ name }) => name);
    for (const { operation } of operations()) {
      for (const tag of operation.tags) expect(declared).toContain(tag);
    }
  });

  it('require a token and a role, or are public', () => {
    for (const { operation } of operations()) {
      const isPublic = operation.security?.length === 0;
      expect('401' in operation.responses, operation.operationId).toBe(!isPublic);
      expect(/Requires the role \w+;/.test(operation.description ?? '')).toBe(!isPublic);
    }
  });

  it('are those of the specification', () => {
    const served = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(served).toEqual(
      expect.arrayContaining([
        'GET /health',
        'GET /projects/{project_id}',
        'GET /resources/',
        'GET /resources/{resource_id}',
        'POST /resources/apply',
        'DELETE /resources/{resource_id}',
        'POST /resources/register',
        'DELETE /resources/unregister/{provider}/{resource}',
        'POST /providers/{provider}/push',
        'GET /providers/{provider}/builds/{job_name}',
        'POST /providers/{provider}/deploy',
        'GET /providers/{provider}/deployment',
      ]),
    );
  });
});

it('has the version of the interface, and that of the program besides', () => {
  expect(document.info).toMatchObject({ version: '0.1.0', 'x-fairlead-version': '1.2.3' });
});

describe('bodies', () => {
  const eventBody = (path: string) => document.paths[path]?.post?.requestBody;

  it('of a push are a form with a file', () => {
    expect(eventBody('/providers/{provider}/push')).toEqual({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { code: expect.objectContaining({ type: 'string', format: 'binary' }) },
            required: ['code'],
          },
        },
      },
    });
  });

  it('are required where they have required fields', () => {
    expect(eventBody('/resources/apply')?.required).toBe(true);
    expect(eventBody('/providers/{provider}/deploy')?.required).toBe(false);
    expect(eventBody('/providers/{provider}/rollback')?.required).toBe(false);
  });
});

describe('webhooks', () => {
  it('describe the event as sent', () => {
    const event: OutgoingEvent = {
      id: 'evt-1',
      type: 'UPDATE',
      organizationId: 'acme',
      projectId: 'default',
      provider: 'notes',
      resource: 'note',
      name: 'first',
      config: { text: 'b' },
      schemaVersion: 2,
      previousConfig: { text: 'a' },
      previousSchemaVersion: 1,
      outputs: {},
      outputsSchemaVersion: 1,
      attempt: 2,
      sequence: 3,
      generation: 2,
      context: null,
    };
    expect(ProviderEvent.strict().parse(eventBody(event))).toEqual(eventBody(event));
    const post = document.webhooks['resourceEvent']?.post;
    const sent = eventHeaders(event, new Date());
    for (const { name } of post?.parameters ?? []) expect(sent[name], name).toBeTypeOf('string');
    const extensions = Object.keys(sent).filter((name) =>
      /^ce-(?:attempt|sequence|id)$/.test(name),
    );
    expect(post?.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(extensions));
  });
});

describe('schemas', () => {
  const ajv = () => {
    const compiler = new Ajv2020({ strict: false, validateFormats: false });
    return compiler.addSchema({ $id: 'https://api.test/document', ...(raw as object) });
  };

  it('are JSON Schema 2020-12, as OpenAPI 3.1 wants them', () => {
    const compiler = ajv();
    for (const name of Object.keys(document.components.schemas)) {
      const schema = { $ref: `https://api.test/document#/components/schemas/${name}` };
      expect(() => compiler.compile(schema), name).not.toThrow();
    }
  });

  it('match their own examples', () => {
    const compiler = ajv();
    let checked = 0;
    for (const [name, { examples }] of Object.entries(document.components.schemas)) {
      const validate = compiler.compile({
        $ref: `https://api.test/document#/components/schemas/${name}`,
      });
      for (const example of (examples ?? []) as readonly unknown[]) {
        expect(validate(example), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThanOrEqual(6);
  });

  it('require of an apply only the necessary fields', () => {
    expect(document.components.schemas['ApplyResource']).toMatchObject({
      required: ['provider', 'resource', 'name', 'config'],
      additionalProperties: false,
    });
  });
});
