// The identity of a type: what its registration has, what handlers receive, and what is refused when it is declared.
import { expect, it } from 'vitest';
import type { EventBody } from '../../../src/domain/event.ts';
import { ownedBy, provider, registrationsOf, z } from '../../../src/sdk/index.ts';
import { runEvent } from '../../../src/sdk/serve/run.ts';
import { silent } from '../../../src/sdk/testing/silent.ts';

const cloud = provider('cloud');
const Outputs = z.object({ bucket: z.object({ id: z.string() }), size: z.number() });
const handlers = {
  description: 'A bucket',
  config: z.object({}),
  outputs: Outputs,
  create: () => outputs,
  update: () => outputs,
  delete: () => undefined,
};
const outputs = { bucket: { id: 'b-1' }, size: 1 };
const schema = z.strictObject({ id: z.string() });

const declaredAs = (identity: object, more: object = {}) =>
  cloud.resource('bucket', { ...handlers, ...more, identity } as never);

it('is registered as JSON Pointers, with the schema as that of adopt', () => {
  const bucket = cloud.resource('bucket', {
    ...handlers,
    identity: { schema, of: ({ bucket: { id } }) => ({ id }) },
  });
  const escaped = declaredAs({ schema, of: (given: never) => ({ id: given['a/b~']['c'] }) });
  expect(registrationsOf(cloud.types(bucket))).toMatchObject([
    {
      identity: { outputs: { id: '/bucket/id' }, adopt: { id: '/id' } },
      adopt_schema: { required: ['id'], additionalProperties: false },
    },
  ]);
  expect(registrationsOf(cloud.types(escaped))).toMatchObject([
    { identity: { outputs: { id: '/a~1b~0/c' } } },
  ]);
});

const refused: Record<string, readonly [object, RegExp]> = {
  'a text that is put together': [
    { schema, of: ({ size }: { size: number }) => ({ id: `b-${size}` }) },
    /pick members of the outputs, such as .*; it computes something/,
  ],
  'a constant': [{ schema, of: () => ({ id: 'b' }) }, /pick members of the outputs/],
  'the outputs as a whole': [{ schema, of: (all: object) => ({ id: all }) }, /pick members/],
  'no members': [{ schema, of: () => ({}) }, /pick members of the outputs/],
  'no function': [{ schema }, /identity must be \{ schema, of \}/],
  'a schema of adopt beside it': [
    { schema, of: (all: typeof outputs) => ({ id: all.bucket.id }) },
    /is that of adopt; omit adopt/,
  ],
};
it.each(Object.entries(refused))('refuses %s', (what, [identity, message]) => {
  const more = what.startsWith('a schema') ? { adopt: schema, observe: () => undefined } : {};
  expect(() => declaredAs(identity, more)).toThrow(message);
});

const event: EventBody = {
  ...{ event_id: 'evt-1', event_type: 'DELETE', organization_id: 'acme', project_id: 'shop' },
  ...{ provider: 'cloud', resource: 'bucket', name: 'logs', config: {}, schema_version: 1 },
  ...{ previous_config: null, previous_schema_version: null, outputs, outputs_schema_version: 1 },
  ...{ attempt: 1, sequence: 1, generation: 1, context: null },
};

async function receivedBy(forNew: unknown, more: Partial<EventBody>) {
  const seen: unknown[] = [];
  const handler = ({ identity, ...call }: { identity: unknown; owner: string }) => {
    seen.push(identity, call.owner, ownedBy('acme/shop/logs', call), ownedBy(undefined, call));
    return outputs;
  };
  const type = declaredAs(
    { schema, of: (all: typeof outputs) => ({ id: all.bucket.id }), ...(forNew ? { forNew } : {}) },
    { create: handler, delete: handler },
  );
  const around = { signal: new AbortController().signal, log: silent };
  const { body } = await runEvent(cloud.types(type), { ...event, ...more }, around);
  return { seen, body };
}

const forNew = ({ owner }: { owner: string }) => ({ id: owner.replaceAll('/', '-') });
const given: Record<string, readonly [unknown, Partial<EventBody>, unknown]> = {
  'that of the outputs': [forNew, { adopt: { id: 'b-2' } }, { id: 'b-1' }],
  'that of adopt before there are outputs': [
    forNew,
    { outputs: {}, adopt: { id: 'b-2' } },
    { id: 'b-2' },
  ],
  'that of a new object': [forNew, { outputs: {} }, { id: 'acme-shop-logs' }],
  'that of a new object in create': [
    forNew,
    { event_type: 'CREATE', outputs: {} },
    { id: 'acme-shop-logs' },
  ],
  'null when nothing says it': [undefined, { outputs: {} }, null],
};
it.each(Object.entries(given))('handlers receive %s', async (_what, [made, more, want]) => {
  const { seen, body } = await receivedBy(made, more);
  expect(seen, JSON.stringify(body)).toEqual([want, 'acme/shop/logs', true, false]);
});

it('ends an event whose forNew does not fit the schema', async () => {
  const { seen, body } = await receivedBy(() => ({ name: 'x' }), { outputs: {} });
  expect([seen, body]).toMatchObject([[], { error: { code: 'invalid_identity' } }]);
});
