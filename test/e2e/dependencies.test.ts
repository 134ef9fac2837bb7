// Resources that use each other: made in order, run again when what they use changes, deleted in reverse order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/shared-fairlead.ts';

let crates: Crates;
let provider: RecordingProvider;

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'dependencies');
  ({ provider } = crates);
  const type = { provider: 'box', resource: 'label', description: 'A label', schema };
  expect((await crates.acme.post('/resources/register', type)).status).toBe(200);
  provider.respond(({ body }, response) =>
    done({ url: `box://${body.name}`, size: body.config['size'] ?? 0 })(
      { body, headers: {}, at: 0 },
      response,
    ),
  );
});

afterAll(async () => {
  await crates?.close();
});

const schema = {
  type: 'object',
  properties: { text: { type: 'string' }, size: { type: 'integer' } },
  required: ['text', 'size'],
};

/** A reference to an output of the crate `base`. */
const base = (output: string) => `\${box/crate/base.outputs.${output}}`;
const config = { text: `for ${base('url')}`, size: base('size') };

function label(name: string, given: object = config, more: object = {}) {
  return {
    provider: 'box',
    resource: 'label',
    name,
    config: given,
    lifecycle_state: 'pending',
    ...more,
  };
}

async function record(name: string) {
  const { body } = await crates.acme.get(`/resources/box%2Flabel%2F${name}`);
  return body as { lifecycle_state: string; reason: string; config: object; error: string | null };
}

const sent = (name: string) =>
  provider.receipts.filter(({ body }) => body.name === name).map(({ body }) => body);

it('waits for its dependencies and receives the values of their outputs', async () => {
  const applied = await crates.acme.post('/resources/apply', label('tag'));
  expect(applied.status).toBe(200);
  await eventually(async () =>
    expect(await record('tag')).toMatchObject({
      lifecycle_state: 'pending',
      reason: 'DependencyMissing',
    }),
  );
  const words = ['get', 'resources', '-n', crates.namespace, '-o', 'wide'];
  expect(await crates.fairlead.kubectl(...words)).toContain(
    'Dependency box/crate/base does not exist in project default',
  );
  await crates.acme.post('/resources/apply', crate('base', { size: 3 }));
  await eventually(async () =>
    expect(await record('tag')).toMatchObject({ lifecycle_state: 'ready', config }),
  );
  expect(sent('tag')).toMatchObject([{ config: { text: 'for box://base', size: 3 } }]);
});

it('is updated under a new event id when a used output changes', async () => {
  await crates.acme.post('/resources/apply', crate('base', { size: 4 }));
  await eventually(() => expect(sent('tag')).toHaveLength(2));
  const [first, second] = sent('tag');
  expect(second).toMatchObject({
    event_type: 'UPDATE',
    config: { text: 'for box://base', size: 4 },
    previous_config: { text: 'for box://base', size: 3 },
  });
  expect(second?.event_id).not.toBe(first?.event_id);
  await eventually(async () => expect((await record('tag')).lifecycle_state).toBe('ready'));
});

it('fails on an unknown output, and is processed after the reference is corrected', async () => {
  const wrong = { text: base('colour'), size: 1 };
  await crates.acme.post('/resources/apply', label('wrong', wrong));
  await eventually(async () => {
    const found = await record('wrong');
    expect(found.lifecycle_state).toBe('failed');
    expect(found.error).toMatch(/^UNKNOWN_OUTPUT: .*has no output "colour"; it has size, url/);
  });
  await crates.acme.post('/resources/apply', label('wrong', { text: 'right', size: 1 }));
  await eventually(async () => expect((await record('wrong')).lifecycle_state).toBe('ready'));
});

it('fails when the resolved values violate the schema of the type', async () => {
  const swapped = { text: 'x', size: base('url') };
  await crates.acme.post('/resources/apply', label('swapped', swapped));
  await eventually(async () => {
    const found = await record('swapped');
    expect(found.lifecycle_state).toBe('failed');
    expect(found.error).toMatch(/^INVALID_CONFIG: .*size/);
  });
  expect(sent('swapped')).toEqual([]);
});

it('rejects a cycle and prints it', async () => {
  const refused = await crates.acme.post(
    '/resources/apply',
    crate(
      'base',
      { size: 5 },
      { dependencies: [{ provider: 'box', resource: 'label', name: 'tag' }] },
    ),
  );
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('box/crate/base → box/label/tag → box/crate/base');
});

it('rejects the deletion of a resource in use, and lists its dependents', async () => {
  const refused = await crates.acme.delete('/resources/box%2Fcrate%2Fbase');
  expect(refused).toMatchObject({ status: 409, body: { code: 'resource_in_use' } });
  expect(JSON.stringify(refused.body)).toContain('box/label/tag');
});

it('deletes in reverse dependency order', async () => {
  for (const name of ['swapped', 'wrong']) {
    await crates.acme.delete(`/resources/box%2Flabel%2F${name}`);
  }
  const { fairlead, namespace } = crates;
  await fairlead.kubectl('delete', 'resources', '-n', namespace, '--all', '--timeout=60s');
  const deletions = provider.receipts
    .filter(({ body }) => body.event_type === 'DELETE')
    .map(({ body }) => body.name)
    .filter((name) => name === 'tag' || name === 'base');
  expect(deletions).toEqual(['tag', 'base']);
});
