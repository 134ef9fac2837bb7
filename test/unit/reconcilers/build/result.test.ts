import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArtifactRef, ArtifactStore } from '../../../../src/domain/providers/artifact.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { openArtifactStore } from '../../../../src/providers/artifacts/index.ts';
import { createSchemaSandbox } from '../../../../src/providers/schema-sandbox/index.ts';
import { resultOf, UnusableResult } from '../../../../src/reconcilers/build/result.ts';
import type { Pod } from '../../../../src/reconcilers/workloads.ts';
import { aPod, ended, namespace } from '../../../support/fixtures/workloads/workload-builders.ts';

const schemas = createSchemaSandbox();
let folder: string;
let artifacts: ArtifactStore;
let code: ArtifactRef;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-results-'));
  artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  code = await keep('the built code');
});
afterAll(async () => {
  await schemas.close();
  await rm(folder, { recursive: true, force: true });
});

async function keep(text: string, from = namespace): Promise<ArtifactRef> {
  const staged = await artifacts.put(Readable.from([Buffer.from(text)]), { maxBytes: 1e7 });
  const ref = await staged.commit();
  await artifacts.link(ref.digest, from);
  return ref;
}

function neverKept(text: string): ArtifactRef {
  const digest = createHash('sha256').update(text).digest('hex');
  return { digest: `sha256:${digest}`, size: text.length };
}

const published = (message: string, name = 'publish'): Pod =>
  aPod({
    status: {
      phase: 'Succeeded',
      initContainerStatuses: [
        ended({ exitCode: 0, message: '{"artifact":"of the author"}' }, 'build'),
      ],
      containerStatuses: [ended({ exitCode: 0, message }, name)],
    },
  });
const publishedJson = (content: unknown): Pod => published(JSON.stringify(content));
const read = (pod: Pod | undefined) => resultOf(pod, { artifacts, schemas });
const withDocument = async (document: unknown): Promise<Pod> =>
  publishedJson({ artifact: code, types: await keep(JSON.stringify(document)) });
const withTypes = (types: unknown, more: object = {}): Promise<Pod> =>
  withDocument({ types, ...more });
const cart = { resource: 'cart', description: 'A cart' };

it('reads the result, and the types with their schemas', async () => {
  const schema = { type: 'object', properties: { items: { type: 'integer' } } };
  const pod = await withTypes([
    { ...cart, schema },
    { resource: 'order', description: '', timeout_seconds: 900 },
    { ...cart, resource: 'bill', retry: { attempts: 20, max_delay_seconds: 600 } },
  ]);
  expect(await read(pod)).toEqual({
    artifact: code,
    types: [
      { ...cart, schema },
      { resource: 'order', description: '', schema: undefined, timeoutSeconds: 900 },
      { ...cart, resource: 'bill', retry: { attempts: 20, maxDelaySeconds: 600 } },
    ],
  });
});

it.each([0, 3_601, 1.5, '30'])('rejects a type whose limit is %j', async (timeout_seconds) => {
  const pod = await withTypes([{ ...cart, timeout_seconds }]);
  await expect(read(pod)).rejects.toThrow(UnusableResult);
});

it.each([
  {},
  { attempts: 0 },
  { attempts: 21 },
  { max_delay_seconds: 601 },
  { max_delay_seconds: 1.5 },
])('rejects a type whose retries are %j', async (retry) => {
  const pod = await withTypes([{ ...cart, retry }]);
  await expect(read(pod)).rejects.toThrow(UnusableResult);
});

it('reads the last line of the output of the last step', async () => {
  const types = await keep(JSON.stringify({ types: [cart] }));
  const pod = published(`Left out: a link\n${JSON.stringify({ artifact: code, types })}\n`);
  expect(await read(pod)).toMatchObject({ artifact: code });
});

const unsaid = 'The build finished without reporting a result';
it('reads the settings, and checks them like types', async () => {
  const settings = { type: 'object', properties: { url: { type: 'string', sensitive: true } } };
  expect(await read(await withTypes([cart], { settings }))).toMatchObject({
    types: [cart],
    settings,
  });
  for (const unusable of [
    { type: 'array' },
    { type: 'object', properties: { '../url': {} } },
    { type: 'object', properties: { url: { $ref: 'https://example.com/' } } },
  ]) {
    const pod = await withTypes([cart], { settings: unusable });
    await expect(read(pod), JSON.stringify(unusable)).rejects.toThrow(UnusableResult);
  }
});

it('reads how many events the provider gets at a time', async () => {
  const pod = await withTypes([cart], { concurrency: 8 });
  expect(await read(pod)).toMatchObject({ concurrency: 8, settings: undefined });
  for (const concurrency of [0, 1_001, '8']) {
    const bad = await withTypes([cart], { concurrency });
    await expect(read(bad), String(concurrency)).rejects.toThrow(UnusableResult);
  }
});

const digestOnly = { artifact: { digest: 'sha256:1', size: 1 }, types: neverKept('x') };

it.each<[string, () => Pod | undefined, string]>([
  ['no pod', () => undefined, 'A pod may be removed with its node.'],
  ['a pod without output', () => aPod(), 'Its containers may never have started.'],
  ['an empty message', () => published(''), 'Nothing was handed in.'],
  ['no JSON', () => published('done'), 'The log of the author is no result.'],
  ['other JSON', () => publishedJson({ artifact: code }), 'Types belong to it.'],
  ['null', () => publishedJson(null), 'JSON, but nothing in it.'],
  ['an invalid digest', () => publishedJson(digestOnly), 'It becomes a path in the store.'],
  [
    'a size of 0',
    () => publishedJson({ artifact: { ...code, size: 0 }, types: code }),
    'An archive is never empty.',
  ],
  [
    'the output of another container',
    () => published(JSON.stringify({ artifact: code, types: code }), 'build'),
    'The code of the author runs there, and could name the artifact of anybody.',
  ],
])('accepts no result from %s', async (_name, pod, reason) => {
  await expect(read(pod()), reason).rejects.toThrow(new UnusableResult(unsaid));
});

const missing = new UnusableResult('The build artifact was not found; push the code again');

it('rejects code and types that were not uploaded', async () => {
  const types = await keep(JSON.stringify({ types: [cart] }));
  const withoutCode = publishedJson({ artifact: neverKept('code'), types });
  await expect(read(withoutCode)).rejects.toThrow(missing);
  const withoutTypes = publishedJson({ artifact: code, types: neverKept('types') });
  await expect(read(withoutTypes)).rejects.toThrow(missing);
});

it('[K24] rejects code and types that only another organization uploaded', async () => {
  const types = await keep(JSON.stringify({ types: [cart] }));
  const others = 'fl-other-0123456789ab';
  const foreignCode = await keep('the code of others', others);
  await expect(read(publishedJson({ artifact: foreignCode, types }))).rejects.toThrow(missing);
  const foreignTypes = await keep(
    JSON.stringify({ types: [{ ...cart, description: 'theirs' }] }),
    others,
  );
  await expect(read(publishedJson({ artifact: code, types: foreignTypes }))).rejects.toThrow(
    missing,
  );
  await keep('the code of others');
  expect(await read(publishedJson({ artifact: foreignCode, types }))).toMatchObject({
    artifact: foreignCode,
  });
});

it.each<[string, unknown, string]>([
  ['no list', cart, 'The types of the build are invalid'],
  ['no types', [], 'The types of the build are invalid'],
  ['an invalid name', [{ ...cart, resource: '../x' }], 'The types of the build are invalid'],
  [
    'a schema that is not an object',
    [{ ...cart, schema: 'string' }],
    'The types of the build are invalid',
  ],
  [
    'too many types',
    Array.from({ length: 101 }, (_, index) => ({ ...cart, resource: `cart-${index}` })),
    'The types of the build are invalid',
  ],
  [
    'two types of one name',
    [cart, { ...cart, description: 'b' }],
    'The provider has two types with the same name',
  ],
  [
    'an unusable schema',
    [{ ...cart, schema: { type: 'object', properties: { a: { type: 'text' } } } }],
    'The schema of type cart cannot be used: properties.a.type: ',
  ],
  [
    'a mark in the outputs of an earlier version',
    [
      {
        ...cart,
        type_version: 2,
        earlier_versions: [
          {
            type_version: 1,
            schema: {},
            outputs_schema: { properties: { a: { immutable: true } } },
          },
        ],
      },
    ],
    'The schema of the outputs of version 1 of type cart cannot be used: properties.a.immutable: Outputs cannot be immutable',
  ],
  [
    'too many bytes',
    [{ ...cart, schema: { type: 'object', description: 'x'.repeat(512 * 1_024) } }],
    'The types of the build exceed 524288 bytes',
  ],
])('rejects a document with %s', async (_name, types, want) => {
  const failure = await read(await withTypes(types)).catch((thrown: unknown) => thrown);
  expect(failure).toBeInstanceOf(UnusableResult);
  expect(failure).toHaveProperty('message', expect.stringContaining(want));
});

it('rejects a document that is only a list', async () => {
  await expect(read(await withDocument([cart]))).rejects.toThrow(
    new UnusableResult('The types of the build are invalid'),
  );
});

it('rejects a document that is larger than announced', async () => {
  const types = await keep(
    JSON.stringify({ types: [{ ...cart, schema: { title: 'x'.repeat(600_000) } }] }),
  );
  await expect(
    read(publishedJson({ artifact: code, types: { ...types, size: 10 } })),
  ).rejects.toThrow(new UnusableResult('The types of the build exceed 524288 bytes'));
});

it('keeps a message short enough to be stored', async () => {
  const schema = { type: 'object', properties: { ['x'.repeat(5_000)]: { type: 'text' } } };
  const failure = await read(await withTypes([{ ...cart, schema }])).catch((thrown) => thrown);
  expect(failure).toBeInstanceOf(UnusableResult);
  expect(failure.message).toHaveLength(1_024);
});

it('retries transient failures', async () => {
  const types = await keep(JSON.stringify({ types: [cart] }));
  const away = { ...artifacts, isLinked: () => Promise.reject(new Error('The store is away')) };
  const tried = resultOf(publishedJson({ artifact: code, types }), { artifacts: away, schemas });
  await expect(tried).rejects.not.toBeInstanceOf(UnusableResult);
});
