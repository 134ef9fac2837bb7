// [A4] Resources of a type that gets new versions: what their provider receives, what is recorded, and what stays secret.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/domain/event.ts';
import { keyOf, objectNameOf } from '../../src/domain/identity.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let provider: RecordingProvider;

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'type-versions');
  ({ provider } = crates);
});

afterAll(async () => {
  await crates?.close();
});

const only = (name: string, marks: object = {}) => ({
  properties: { [name]: { type: 'string', ...marks } },
  required: [name],
  additionalProperties: false,
});

async function register(resource: string, ...versions: readonly object[]) {
  const all = versions.map((schema, index) => ({ type_version: index + 1, schema }));
  const body = { provider: 'box', resource, ...all.at(-1), earlier_versions: all.slice(0, -1) };
  expect((await crates.acme.post('/resources/register', body)).status).toBe(200);
}

const apply = async (resource: string, config: object, more: object = {}) => {
  const body = { provider: 'box', resource, name: 'one', config, lifecycle_state: 'pending' };
  const { status, body: record } = await crates.acme.post('/resources/apply', { ...body, ...more });
  expect(status, JSON.stringify(record)).toBe(200);
};

const reaches = (resource: string, wanted: object) =>
  eventually(async () => {
    const { body } = await crates.acme.get(`/resources/box%2F${resource}%2Fone`);
    expect(body).toMatchObject(wanted);
  });

const sent = (resource: string) =>
  provider.receipts.map(({ body }) => body).filter((body) => body.resource === resource);

const versionsOf = ({ event_type, config, ...body }: EventBody) => [
  event_type,
  config,
  body.schema_version,
  body.previous_schema_version,
  body.outputs_schema_version,
];

const objectName = (resource: string) =>
  objectNameOf(keyOf({ provider: 'box', resource, name: 'one' }));

/** As a controller that has seen other outputs, or somebody with kubectl. */
function runAgain(resource: string, retry: number) {
  const patch = JSON.stringify({ spec: { retry } });
  const object = ['resources.fairlead.dev', objectName(resource), '-n', crates.namespace];
  return crates.fairlead.kubectl('patch', ...object, '--type', 'merge', '-p', patch);
}

it('are delivered in the version that they have, until they are applied in another', async () => {
  await register('tub', only('a'));
  await apply('tub', { a: 'x' });
  await reaches('tub', { lifecycle_state: 'ready', type_version: 1 });

  await register('tub', only('a'), only('b'));
  await apply('tub', { a: 'x' });
  await runAgain('tub', 1);
  await eventually(() => expect(sent('tub')).toHaveLength(2));
  await reaches('tub', { lifecycle_state: 'ready', type_version: 1 });

  provider.respond((_receipt, response) =>
    answer(response, 200, { outputs: {}, outputs_schema_version: 1 }),
  );
  await apply('tub', { b: 'x' });
  await reaches('tub', { lifecycle_state: 'ready', type_version: 2 });

  provider.respond(done());
  await register('tub', only('a'), only('b'), only('c'));
  await runAgain('tub', 2);
  await eventually(() => expect(sent('tub')).toHaveLength(4));
  await reaches('tub', { lifecycle_state: 'ready', type_version: 2 });
  expect((await crates.acme.delete('/resources/box%2Ftub%2Fone')).status).toBe(204);
  await eventually(() => expect(sent('tub')).toHaveLength(5));
  expect(sent('tub').map(versionsOf)).toEqual([
    ['CREATE', { a: 'x' }, 1, null, 1],
    // Its outputs are those of version 1, and those of this answer of the version that serves.
    ['UPDATE', { a: 'x' }, 1, 1, 1],
    ['UPDATE', { b: 'x' }, 2, 1, 2],
    ['UPDATE', { b: 'x' }, 2, 2, 1],
    ['DELETE', { b: 'x' }, 2, 2, 3],
  ]);
});

it('fail after a rollback that does not fit, and say which versions do not', async () => {
  await register('vat', only('a'), only('b'));
  await apply('vat', { b: 'x' });
  await reaches('vat', { lifecycle_state: 'ready', type_version: 2 });
  await register('vat', only('a'));
  await apply('vat', { b: 'x' });
  await runAgain('vat', 1);
  await reaches('vat', {
    lifecycle_state: 'failed',
    reason: 'InvalidConfig',
    error: expect.stringContaining(
      'The config has version 2 of type box/vat, and version 1 serves: deploy a version of the provider that has version 2, or apply a config that fits version 1',
    ),
  });
  expect(sent('vat')).toHaveLength(1);
  await register('vat', only('a'), only('b'));
  await apply('vat', { b: 'x' });
  await reaches('vat', { lifecycle_state: 'ready', type_version: 2 });
});

describe('a deletion after a rollback', () => {
  const unreadable = { code: 'migration_failed', message: 'The outputs of version 2 do not fit' };
  const path = (resource: string) => `/resources/box%2F${resource}%2Fone`;

  /** Stored by version 2, and deleted while version 1 serves, whose code cannot read it. */
  async function deletedTooEarly(resource: string): Promise<void> {
    provider.respond(done());
    await register(resource, only('a'), only('b'));
    await apply(resource, { b: 'x' });
    await reaches(resource, { lifecycle_state: 'ready', type_version: 2 });
    await register(resource, only('a'));
    provider.respond((_receipt, response) => answer(response, 422, { error: unreadable }));
    expect((await crates.acme.delete(path(resource))).status).toBe(204);
    await eventually(async () => {
      const { body } = await crates.acme.get(`${path(resource)}?deleting=include`);
      expect(body).toMatchObject({
        lifecycle_state: 'processing',
        reason: 'VersionTooOld',
        message: `Version 1 of type box/${resource} serves and cannot read what version 2 stored. The deletion goes on by itself once a version of the provider serves that has version 2 of the type`,
      });
    });
  }

  const isGone = (resource: string) =>
    eventually(async () => {
      const { status } = await crates.acme.get(`${path(resource)}?deleting=include`);
      expect(status).toBe(404);
    });

  it('waits without a dead letter, and goes on by itself', async () => {
    await deletedTooEarly('can');
    const { body: letters } = await crates.acme.get('/ops/dead-letter?provider=box');
    expect(letters).not.toContainEqual(expect.objectContaining({ resource: 'can' }));
    const { body: explanation } = await crates.acme.get(`${path('can')}/explanation`);
    expect(explanation).toMatchObject({
      summary: expect.stringContaining(
        'type box/can serves in an older version than that of its content',
      ),
      next: [{ do: 'ask_administrator' }, { do: 'orphan', resource: 'box/can/one' }],
    });
    provider.respond(done());
    await register('can', only('a'), only('b'));
    await isGone('can');
    const [, refused, repeated] = sent('can');
    expect(sent('can').map(({ event_type }) => event_type)).toEqual(['CREATE', 'DELETE', 'DELETE']);
    expect(repeated).toMatchObject({ event_id: refused?.event_id, attempt: 1 });
    expect(repeated?.sequence).toBeGreaterThan(refused?.sequence ?? Number.POSITIVE_INFINITY);
  });

  it('ends at once as an orphan', async () => {
    await deletedTooEarly('jar');
    expect((await crates.acme.delete(`${path('jar')}?orphan=true`)).status).toBe(204);
    await isGone('jar');
    expect(sent('jar')).toHaveLength(2);
    provider.respond(done());
  });
});

describe('a field that is secret only in an earlier version', () => {
  const canary = 'canary-4c19';
  const secret = only('token', { writeOnly: true });

  beforeAll(async () => {
    provider.respond(({ body }, response) =>
      answer(response, 422, { error: { code: 'no', message: `bad ${body.config['token']}` } }),
    );
    await register('safe', secret);
    // Nobody records the secrets of what kubectl applies before a first success.
    await crates.fairlead.apply({
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Resource',
      metadata: { name: objectName('safe'), namespace: crates.namespace },
      spec: {
        ...{ provider: 'box', resource: 'safe', name: 'one', lifecycle: 'Committed' },
        project: await defaultProject(),
        config: { token: canary },
      },
    });
    await reaches('safe', { lifecycle_state: 'failed' });
    await register('safe', secret, only('key'));
    await runAgain('safe', 1);
    await eventually(() => expect(sent('safe')).toHaveLength(2));
    await reaches('safe', { lifecycle_state: 'failed', type_version: 1 });
  });

  async function defaultProject(): Promise<string> {
    const { body } = await crates.acme.get('/projects');
    return (body as { project_id: string }[])[0]?.project_id ?? '';
  }

  it('was sent', () => {
    expect(sent('safe').map(versionsOf)).toEqual([
      ['CREATE', { token: canary }, 1, null, 1],
      ['CREATE', { token: canary }, 1, null, 1],
    ]);
  });

  it.each([
    ['a viewer', '/resources/box%2Fsafe%2Fone', 'viewer', '"token":null'],
    ['the history', '/resources/box/safe/one/history/1', 'admin', '"token":null'],
    ['an error', '/resources/box%2Fsafe%2Fone/explanation', 'admin', '[masked]'],
    ['a dead letter', '/ops/dead-letter?provider=box', 'admin', '[masked]'],
    ['Events', '/resources/box%2Fsafe%2Fone/events', 'admin', '[masked]'],
  ])('stays hidden from %s', async (_, path, role, shown) => {
    const caller = await crates.fairlead.caller('type-versions', '--role', role);
    await eventually(async () => {
      const text = JSON.stringify((await caller.get(path)).body);
      expect(text).toContain(shown);
      expect(text).not.toContain(canary);
    });
  });
});
