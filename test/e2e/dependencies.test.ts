// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Resources that use each other: made in order, run again when what they use changes, deleted in reverse order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer, done, type RecordingProvider } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

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

it('shows a secret output to nobody who may not see it, nor what a reference made of it', async () => {
  const { acme, fairlead, namespace } = crates;
  const canary = 'canary-8d41f';
  const token = { type: 'string', sensitive: true };
  const types = {
    vault: { outputs_schema: { type: 'object', properties: { token, id: { type: 'string' } } } },
    app: { outputs_schema: { type: 'object', properties: { url: { type: 'string' } } } },
  };
  for (const [resource, more] of Object.entries(types)) {
    await acme.post('/resources/register', { provider: 'box', resource, ...more });
  }
  provider.respond(({ body }, response) => {
    if (body.resource === 'vault' && body.config['bad'] !== true) {
      return answer(response, 200, { outputs: { token: canary, id: 'vault-1' } });
    }
    // Programs and people see each of these texts somewhere.
    const said = `${canary} of ${JSON.stringify([body.config, body.outputs])}`;
    if (body.config['works'] === true && body.event_type === 'CREATE') {
      return answer(response, 200, {
        outputs: { url: body.config['url'], raw: body.config['raw'] },
      });
    }
    const error = { code: `E_${canary}`, message: `cannot use ${said}` };
    return answer(response, 422, { error, log: [`uses ${said}`, canary] });
  });
  const reference = '${box/vault/v.outputs.token}';
  const used = { url: `https://${reference}@db`, raw: reference };
  const made = (resource: string, name: string, given: object) =>
    acme.post('/resources/apply', { ...label(name, given), resource });
  const state = async (id: string, wanted: string) =>
    eventually(async () => {
      const { body } = await acme.get(`/resources/box%2F${id}`);
      expect(body).toMatchObject({ lifecycle_state: wanted });
    });
  await made('vault', 'v', {});
  await state('vault%2Fv', 'ready');
  await made('app', 'works', { ...used, works: true });
  await made('app', 'fails', used);
  await state('app%2Fworks', 'ready');
  await state('app%2Ffails', 'failed');
  await made('app', 'works', { ...used, works: true, more: 1 });
  await made('vault', 'v', { bad: true });
  await state('app%2Fworks', 'failed');
  await state('vault%2Fv', 'failed');

  const ids = ['vault%2Fv', 'app%2Fworks', 'app%2Ffails'];
  const paths = ids.flatMap((id) =>
    ['', '/explanation', '/events', '/history', '/history/1'].map(
      (part) => `/resources/box%2F${id}${part}`,
    ),
  );
  const { body } = await acme.get('/ops/dead-letter');
  const letters = (body as { event_id: string }[]).map(
    ({ event_id: id }) => `/ops/dead-letter/${id}`,
  );
  expect(letters.length).toBeGreaterThanOrEqual(3);
  const lists = [
    '/resources/',
    '/ops/dead-letter',
    '/ops/dead-letter?group_by=error',
    '/resources/explanations',
  ];
  const viewer = await fairlead.caller('dependencies', '--role', 'viewer');
  for (const path of [...paths, ...letters, ...lists]) {
    const answered = await viewer.get(path);
    expect(answered.status, path).toBeLessThan(500);
    expect(JSON.stringify(answered.body), path).not.toContain(canary);
  }
  expect((await viewer.get('/resources/box%2Fapp%2Fworks')).body).toMatchObject({
    config: used,
    outputs: { url: null, raw: null },
  });
  const kinds = 'configmaps,events';
  expect(await fairlead.kubectl('get', kinds, '-n', namespace, '-o', 'yaml')).not.toContain(canary);
  const columns = 'custom-columns=A:.status.conditions,B:.status.error,C:.status.event';
  const statuses = await fairlead.kubectl('get', 'resources', '-n', namespace, '-o', columns);
  expect(statuses).toContain('[masked]');
  expect(statuses).not.toContain(canary);
});
