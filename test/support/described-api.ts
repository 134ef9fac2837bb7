// Reads the operations of the service from its OpenAPI document, and checks whether a response is one that the document
// declares for an operation.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer, ApiCaller } from './served-api.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

interface Described {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly needsToken: boolean;
  readonly parameters: readonly DescribedParameter[];
  /** By content type. */
  readonly body: Content;
  /** @returns the parts of this answer that the document does not describe; undefined when there are none */
  problemWith(answer: Answer): string | undefined;
}

export interface DescribedApi {
  readonly operations: readonly DescribedOperation[];
  /** Resolves a reference within the document. */
  resolve(schema: JsonSchema): JsonSchema;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export async function describedApi(caller: Pick<ApiCaller, 'get'>): Promise<DescribedApi> {
  const document = (await caller.get('/openapi.json')).body as Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/document', ...document });
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): DescribedOperation => {
      const responses = pointer('paths', path, method, 'responses');
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        needsToken: described.security === undefined,
        parameters: described.parameters ?? [],
        body: described.requestBody?.content ?? {},
        problemWith: (answer) => problemWith(ajv, { described, responses }, answer),
      };
    }),
  );
  const resolve = (schema: JsonSchema): JsonSchema => {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    return document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {};
  };
  return { operations, resolve };
}

/** Escaped as a JSON pointer in a URL. */
function pointer(...parts: readonly string[]): string {
  return parts
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
}

function problemWith(
  ajv: Ajv2020,
  { described, responses }: { described: Described; responses: string },
  { status, headers, body }: Answer,
): string | undefined {
  const response = described.responses[status];
  if (response === undefined) return `the status ${status}`;
  const types = Object.keys(response.content ?? {});
  const type = headers['content-type'];
  if (types.length === 0) return type === undefined ? undefined : `the content type ${type}`;
  if (type === undefined || !types.includes(type)) return `the content type ${type ?? 'none'}`;
  if (response.content?.[type]?.schema === undefined) return undefined;
  const at = `${responses}/${pointer(`${status}`, 'content', type)}/schema`;
  const validate = ajv.getSchema(`https://api.test/document#/${at}`);
  if (validate === undefined) return `a schema at ${at}`;
  return validate(body) === true ? undefined : JSON.stringify(validate.errors);
}
