// Names and addresses of resources over HTTP, against a real API server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let acme: ApiCaller;

beforeAll(async () => {
  api = await serveApi();
  acme = await api.caller('addresses');
});

afterAll(() => api?.close());

const draft = (name: string) => ({ provider: 'box', resource: 'crate', name, config: {} });
const apply = (body: object) => acme.post('/resources/apply', body);

function violation(answer: Answer): unknown {
  expect(answer.status).toBe(422);
  const { detail } = answer.body as { detail: readonly unknown[] };
  return detail[0];
}

describe('three spellings', () => {
  beforeAll(async () => {
    await apply(draft('spelt'));
  });

  it.each([
    'resource:box_crate_spelt',
    'resource%3Abox_crate_spelt',
    'box:crate:spelt',
    'box%3Acrate%3Aspelt',
    'box%3acrate%3aspelt',
    'box%2Fcrate%2Fspelt',
    'box/crate/spelt',
    'box/crate/spelt/',
    '%62ox/crate/spelt',
  ])('%s identifies the resource', async (id) => {
    expect(await acme.get(`/resources/${id}`)).toMatchObject({
      status: 200,
      body: { name: 'spelt' },
    });
  });

  it.each([
    'box%252Fcrate%252Fspelt',
    'resource%253Abox_crate_spelt',
    'box%3Acrate%2Fspelt',
    'box',
    '.',
    '..',
    '%2e%2e',
    'box%2Fcrate%2F..',
    'box%2Fcrate%2F%00',
    'resource:',
    'resource:box',
    `box:crate:${'n'.repeat(300)}`,
    `resource:box_crate_${'n'.repeat(300)}`,
    '%E6%97%A5%E6%9C%AC',
    '%ff',
    '%',
  ])('[H01] %s is invalid', async (id) => {
    for (const answer of [
      await acme.get(`/resources/${id}`),
      await acme.delete(`/resources/${id}`),
    ]) {
      expect(violation(answer)).toMatchObject({ loc: ['path', 'resource_id'] });
    }
  });

  it.each([
    ['box/crate/..', 'name'],
    ['box/crate/%2e', 'name'],
    ['box/crate/a%2Fb', 'name'],
    ['box/crate/%00', 'name'],
    ['BOX/crate/a', 'provider'],
    ['box/..%2F/a', 'resource'],
  ])('[H01] %s is rejected with the invalid part', async (path, part) => {
    expect(violation(await acme.get(`/resources/${path}`))).toMatchObject({ loc: ['path', part] });
  });

  it.each([
    ['box/crate/none', 'box/crate/none'],
    ['box%3Acrate%3Anone', 'box/crate/none'],
    ['resource:box_crate_none', 'box_crate_none'],
  ])('%s of a missing object is 404, with a message', async (id, text) => {
    expect(await acme.get(`/resources/${id}`)).toMatchObject({
      status: 404,
      body: { detail: `Resource not found: ${text}`, code: 'resource_not_found' },
    });
  });

  it('delete one resource, and succeed when it is missing', async () => {
    for (const id of ['resource:box_crate_gone-1', 'box:crate:gone-2', 'box/crate/gone-3']) {
      const name = id.slice(id.indexOf('gone'));
      expect((await apply(draft(name))).status).toBe(200);
      const answer = await acme.delete(`/resources/${id}`);
      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(answer.headers).not.toHaveProperty('content-type');
      expect((await acme.get(`/resources/box:crate:${name}`)).status).toBe(404);
      expect((await acme.delete(`/resources/${id}`)).status).toBe(204);
    }
  });
});

describe('names', () => {
  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a:b',
    'n'.repeat(201),
    'n'.repeat(300),
    'a\u0000',
    'a\n',
    ' a',
    'é',
    '日本',
    'а',
    '\u202Ea',
    '-a',
    'a-',
    '%2e',
  ])('%j is invalid', async (name) => {
    expect(violation(await apply(draft(name)))).toMatchObject({ loc: ['body', 'name'] });
  });

  it.each(['a', '0', 'A', 'a.b_c-D', 'n'.repeat(200)])('%s is valid', async (name) => {
    expect((await apply(draft(name))).status).toBe(200);
    expect((await acme.get(`/resources/box/crate/${name}`)).body).toMatchObject({ name });
  });

  it('that share one object exclude each other, and the second gets the name of the first', async () => {
    const config = {};
    const first = { provider: 'box', resource: 'a_b', name: 'c', config };
    const second = { provider: 'box', resource: 'a', name: 'b_c', config };
    expect((await apply(first)).status).toBe(200);
    expect(await apply(second)).toMatchObject({
      status: 409,
      body: { code: 'identity_taken', detail: expect.stringContaining('box/a_b/c') },
    });
    expect((await acme.get('/resources/box/a/b_c')).status).toBe(404);
    expect((await acme.delete('/resources/box/a/b_c')).status).toBe(204);
    expect((await acme.get('/resources/box/a_b/c')).status, 'it is not the other one').toBe(200);
  });
});
