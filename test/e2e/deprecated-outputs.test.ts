// An output gets another name: who still refers to the old one is counted, and answered from the new one while the schema has both.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventBody } from '../../src/domain/event.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { answer } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

let crates: Crates;
let outputs: object;

beforeAll(async () => {
  crates = await startCrates(await sharedFairlead('impatient'), 'deprecated-outputs');
  crates.provider.respond(({ body }, response) =>
    answer(response, 200, { outputs: body.resource === 'bucket' ? outputs : {} }),
  );
  expect((await register('page')).status).toBe(200);
});

afterAll(async () => {
  await crates?.close();
});

const text = { type: 'string' };
const named = { type: 'object', properties: { name: text }, additionalProperties: false };
const renamed = { ...named, properties: { bucketName: { ...text, sensitive: true } } };
const answered = {
  ...named,
  properties: {
    ...renamed.properties,
    name: { ...text, deprecated: true, 'x-from': '/bucketName' },
  },
};

const register = (resource: string, outputsSchema?: object, query = '') =>
  crates.acme.post(`/resources/register${query}`, {
    ...{ provider: 'box', resource },
    ...(outputsSchema === undefined ? {} : { outputs_schema: outputsSchema }),
  });

async function apply(resource: string, name: string, config: object) {
  const body = { provider: 'box', resource, name, config, lifecycle_state: 'pending' };
  const answered = await fetch(`${crates.fairlead.url}/resources/apply`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${crates.acme.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = answered;
  return { status, warning: headers.get('warning'), text: await answered.text() };
}

async function applies(resource: string, name: string, config: object): Promise<string | null> {
  const { status, warning, text } = await apply(resource, name, config);
  expect(status, text).toBe(200);
  return warning;
}

const isReady = (resource: string, name: string) =>
  eventually(async () => {
    const { body } = await crates.acme.get(`/resources/box%2F${resource}%2F${name}`);
    expect(body).toMatchObject({ lifecycle_state: 'ready' });
  });

const sentTo = (name: string): EventBody[] =>
  crates.provider.receipts.map(({ body }) => body).filter((body) => body.name === name);

const oldName = { of: `\${box/bucket/logs.outputs.name}` };

it('counts who refers to an output that a registration lacks', async () => {
  outputs = { name: 'one' };
  expect((await register('bucket', named)).status).toBe(200);
  await applies('bucket', 'logs', { size: 1 });
  await applies('page', 'old', oldName);
  await isReady('page', 'old');
  const why = 'config.of: box/bucket has no output "name"; it has bucketName';
  expect(await register('bucket', renamed, '?strict=true')).toMatchObject({
    status: 409,
    body: { code: 'schemas_break', detail: expect.stringContaining(`box/page/old (${why})`) },
  });
  expect((await register('bucket', renamed, '?dry_run=true')).body).toMatchObject({
    incompatible_count: 1,
    incompatible_resources: ['resource:box_page_old'],
  });
});

it('answers the old name from the new one, and nobody is updated for that', async () => {
  expect((await register('bucket', answered, '?strict=true')).status).toBe(200);
  // The new name stands for what is stored by the old one.
  await applies('page', 'early', { of: `\${box/bucket/logs.outputs.bucketName}` });
  await isReady('page', 'early');
  expect(sentTo('early').map(({ config }) => config)).toEqual([{ of: 'one' }]);
  outputs = { bucketName: 'one' };
  await applies('bucket', 'logs', { size: 2 });
  await isReady('bucket', 'logs');
  expect(await applies('page', 'new', oldName)).toContain(
    'config.of: The output \\"name\\" of box/bucket is deprecated; refer to bucketName',
  );
  await isReady('page', 'new');
  expect(sentTo('new').map(({ config }) => config)).toEqual([{ of: 'one' }]);
  // What the old name stands for is secret since its type marks the new one.
  expect(sentTo('new')[0]?.secrets).toContain('/config/of');
  expect([sentTo('old'), sentTo('early')]).toEqual([[expect.anything()], [expect.anything()]]);

  outputs = { bucketName: 'two' };
  await applies('bucket', 'logs', { size: 3 });
  await eventually(() =>
    expect(sentTo('old').map(({ config }) => config)).toEqual([{ of: 'one' }, { of: 'two' }]),
  );
});

it('refuses the old name once the schema lacks it', async () => {
  expect((await register('bucket', renamed)).status).toBe(200);
  const refused = await apply('page', 'late', oldName);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('box/bucket has no output');
});

it('refuses a registration whose old output is answered from nothing', async () => {
  const nothing = { ...named, properties: { name: answered.properties.name } };
  expect(await register('bucket', nothing)).toMatchObject({
    status: 422,
    body: {
      detail: [
        {
          loc: ['body', 'outputs_schema', 'properties', 'name', 'x-from'],
          msg: 'The schema of the outputs has nothing at /bucketName',
        },
      ],
    },
  });
});
