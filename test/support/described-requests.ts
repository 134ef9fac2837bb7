// Generates requests with fast-check from the schemas of an operation: valid, almost valid, and garbage.
import fc, { type Arbitrary } from 'fast-check';
import type {
  DescribedApi,
  DescribedOperation,
  DescribedParameter,
  JsonSchema,
} from './described-api.ts';

export interface MadeUpRequest {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Existing values, by the name of their parameter or field: without them, no request would be valid. */
export type Known = Readonly<Record<string, readonly string[]>>;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom('.', '..', '../..', '%2e', 'a/b', 'a\\b', '\u0000', '\n', '#', '?', '', '-', '0'),
  fc.constantFrom('__proto__', 'constructor', 'null', 'undefined', 'NaN', '\u202e', 'A', 'é', '😀'),
  fc.integer({ min: 1, max: 5_000 }).map((length) => 'x'.repeat(length)),
);
const anything = fc.jsonValue({ maxDepth: 4 });
const badEncoding = fc.constantFrom('%', '%f', '%zz', '%ff', '%C0%AF', '%ED%A0%80');

export function requestsTo(
  operation: DescribedOperation,
  { resolve }: DescribedApi,
  known: Known,
): Arbitrary<MadeUpRequest> {
  const make = valuesOf(resolve, known);
  const ofPlace = (place: DescribedParameter['in']) =>
    operation.parameters.filter((each) => each.in === place);
  const path = fc
    .record(Object.fromEntries(ofPlace('path').map((each) => [each.name, inPath(make, each)])))
    .map((values) => operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) => values[name] ?? 'x'));
  const search = fc
    .tuple(fc.tuple(...ofPlace('query').map((each) => inQuery(make, each))), extraQuery)
    .map(([own, extra]) => [...own, extra].filter((each) => each !== '').join('&'));
  const headers = fc
    .record(Object.fromEntries(ofPlace('header').map((each) => [each.name, inHeader(make, each)])))
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== '')));
  return fc.record({ path, search, headers, sent: sentTo(operation, make) }).map((made) => ({
    target: made.search === '' ? made.path : `${made.path}?${made.search}`,
    body: made.sent.body,
    headers: { ...made.sent.headers, ...made.headers },
  }));
}

type Make = (schema: JsonSchema, name: string) => Arbitrary<unknown>;

function inPath(make: Make, { schema, name }: DescribedParameter): Arbitrary<string> {
  const odd = text.filter((each) => each !== '' && !literals.includes(each)).map(encoded);
  const made = make(schema, name).map((each) => String(each) || 'x');
  return fc.oneof(
    { weight: 6, arbitrary: made.filter((each) => !literals.includes(each)).map(encoded) },
    { weight: 2, arbitrary: odd },
    { weight: 1, arbitrary: badEncoding },
  );
}

/** Segments that match another operation; `apply` is among the names that the library tries, as one of functions. */
const literals = [
  'types',
  'apply',
  'register',
  'retry-all',
  'redrive',
  'unregister',
  'explanations',
];

function inQuery(make: Make, { schema, name }: DescribedParameter): Arbitrary<string> {
  const valid = make(schema, name).map((value) =>
    [value]
      .flat()
      .map((each) => `${name}=${encoded(String(each))}`)
      .join('&'),
  );
  const odd = text.map((each) => `${name}=${encoded(each)}`);
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 5, arbitrary: valid },
    { weight: 2, arbitrary: odd },
    { weight: 1, arbitrary: fc.tuple(valid, odd).map((both) => both.join('&')) },
    { weight: 1, arbitrary: badEncoding.map((each) => `${name}=${each}`) },
    { weight: 1, arbitrary: text.map((each) => `${name}[${encoded(each)}]=1`) },
  );
}

/** The HTTP parser refuses a request with more than 16 KiB of headers, before it is one of any operation. */
const maxHeaderLength = 4_096;

/** Mostly absent: a condition that does not hold would hide the request behind it. */
function inHeader(make: Make, { schema, name }: DescribedParameter): Arbitrary<string> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: make(schema, name)
        .map((value) => String(value).trim())
        .filter((value) => value.length <= maxHeaderLength),
    },
    { weight: 1, arbitrary: fc.constantFrom('"', '*,*', 'x', '\u00ff', 'W/"a", "b"') },
  );
}

const extraQuery = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: text.map((each) => `${encoded(each)}=1`) },
);

/** Lone surrogates have no encoding. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

type SentParts = Pick<MadeUpRequest, 'headers' | 'body'>;

function sentTo({ body, method }: DescribedOperation, make: Make): Arbitrary<SentParts> {
  if (body['multipart/form-data'] !== undefined) return forms;
  const schema = body['application/json']?.schema;
  if (schema === undefined) {
    // Some clients add a body to every request.
    const orphan = bytes.map((each) => ({
      // Node sends no length for a DELETE, and the body would be read as another request.
      headers: { 'content-length': `${each.length}` },
      body: each,
    }));
    const none = fc.constant({ headers: {}, body: undefined });
    return method === 'GET' ? none : fc.oneof({ weight: 5, arbitrary: none }, orphan);
  }
  const valid = make(schema, '');
  const nearly = fc
    .tuple(
      valid,
      fc.oneof(fc.constant({}), fc.dictionary(text, anything, { maxKeys: 3 })),
      anything,
    )
    .chain(([right, more, wrong]) => spoilt(right, more, wrong));
  const json = fc
    .oneof({ weight: 4, arbitrary: valid }, { weight: 4, arbitrary: nearly }, anything)
    .map((value) => Buffer.from(JSON.stringify(value) ?? ''));
  const type = fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/json; charset=utf-16', '', 'x', 'application/*'),
  );
  return fc.record({
    headers: type.map((each): Record<string, string> => ({ 'content-type': each })),
    body: fc.oneof({ weight: 9, arbitrary: json }, bytes),
  });
}

function spoilt(right: unknown, more: object, wrong: unknown): Arbitrary<unknown> {
  const names = Object.keys(right ?? {});
  if (names.length === 0) return fc.constant({ ...more });
  return fc
    .tuple(fc.constantFrom(...names), fc.boolean())
    .map(([name, drop]) => ({ ...(right as object), ...more, [name]: drop ? undefined : wrong }));
}

const bytes = fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each));

const forms: Arbitrary<SentParts> = fc
  .record({
    name: fc.oneof({ weight: 5, arbitrary: fc.constant('code') }, fc.constantFrom('', 'x', 'a"b')),
    content: bytes,
    end: fc.constantFrom('\r\n--b--\r\n', '', '\r\n--b', '\r\n--b\r\n\r\n'),
    type: fc.constantFrom('multipart/form-data; boundary=b', 'multipart/form-data', 'text/plain'),
  })
  .map(({ name, content, end, type }) => ({
    headers: { 'content-type': type },
    body: Buffer.concat([
      Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="${name}"; filename="c.tar"\r\n\r\n`,
      ),
      content,
      Buffer.from(end),
    ]),
  }));

/** @returns what makes values of a schema, of those keywords that our schemas have */
function valuesOf(resolve: DescribedApi['resolve'], known: Known): Make {
  const make: Make = (given, name) => {
    const schema = resolve(given);
    const exists = known[name];
    if (exists === undefined) return kindOf(schema);
    return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...exists) }, kindOf(schema));
  };

  function kindOf(schema: JsonSchema): Arbitrary<unknown> {
    const { anyOf, const: only, type } = schema;
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
    if (only !== undefined) return fc.constant(only);
    if (Array.isArray(anyOf)) {
      return fc.oneof(...anyOf.map((each: JsonSchema) => make(each, '')));
    }
    switch (type) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return fc.integer(boundsOf(schema));
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(make(schema['items'] as JsonSchema, ''), { maxLength: 4 });
      case 'object':
        return objectOf(schema);
      default:
        return anything;
    }
  }

  function objectOf({ properties, required = [] }: JsonSchema): Arbitrary<unknown> {
    if (properties === undefined) return fc.dictionary(text, anything, { maxKeys: 4 });
    const members = Object.entries(properties as Record<string, JsonSchema>).map(
      ([name, each]) => [name, make(each, name)] as const,
    );
    return fc.record(Object.fromEntries(members), { requiredKeys: required as string[] });
  }

  return make;
}

function textOf({ pattern, minLength = 0, maxLength = 200 }: JsonSchema): Arbitrary<string> {
  if (typeof pattern === 'string') {
    return fc.stringMatching(new RegExp(pattern), { size: '+1' });
  }
  const bounds = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 200) };
  return fc.string(bounds);
}

function boundsOf({ minimum = -1_000, maximum = 1_000 }: JsonSchema): { min: number; max: number } {
  return { min: Number(minimum), max: Number(maximum) };
}
