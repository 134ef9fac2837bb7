// Checks before a request is handled: paths, methods, tokens, roles, bodies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ApiCaller,
  type Sent,
  type ServedApi,
  serveApi,
  textOf,
} from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: ApiCaller;
let editor: ApiCaller;
let viewer: ApiCaller;

const draft = { provider: 'pg', resource: 'db', name: 'a', config: {} };
const mebibyte = 1_048_576;

beforeAll(async () => {
  api = await serveApi();
  admin = await api.caller('requests');
  editor = await api.caller('requests', { roles: ['editor'] });
  viewer = await api.caller('requests', { roles: 'viewer' });
});

afterAll(() => api?.close());

describe('a token', () => {
  it.each([
    ['GET', '/resources/'],
    ['GET', '/resources/a%2Fb%2Fc'],
    ['POST', '/resources/apply'],
    ['DELETE', '/resources/a:b:c'],
    ['GET', '/resources/types'],
    ['POST', '/resources/register'],
    ['DELETE', '/resources/unregister/a/b'],
    ['GET', '/projects'],
    ['GET', '/projects/x'],
    ['GET', '/auth/me'],
  ])('is required for %s %s', async (method, path) => {
    const answer = await api.stranger.send(method, path);
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/json' },
      body: { detail: 'Not authenticated', code: 'unauthenticated' },
    });
  });

  it.each<[string, Sent]>([
    ['a huge body is announced', { headers: { 'content-length': '10000000000' } }],
    ['a body comes in pieces', { headers: { 'transfer-encoding': 'chunked' } }],
    ['a body waits for leave', { headers: { 'content-length': '9', expect: '100-continue' } }],
  ])('[H10] is checked before the body is read when %s', async (_how, sent) => {
    const answer = await api.stranger.send('POST', '/resources/apply', { ...sent, endless: true });
    expect(answer.status).toBe(401);
  });

  it('is checked before the body is validated', async () => {
    for (const body of ['{', '{"a":1,"a":2}', 'x'.repeat(2 * mebibyte)]) {
      const answer = await api.stranger.send('POST', '/resources/apply', { body });
      expect(answer.status).toBe(401);
    }
    expect((await api.stranger.get('/resources/..')).status).toBe(401);
  });

  it('that is invalid is treated like a missing one', async () => {
    const none = await api.stranger.get('/resources/');
    const forged = await api.stranger.send('GET', '/resources/', {
      headers: { authorization: `Bearer ${await api.issuer.token({ aud: 'other' })}` },
    });
    // Except for the header, which makes clients refresh the token.
    expect(forged).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
    expect(textOf(forged)).toBe(textOf(none));
    const other = { headers: { authorization: 'Basic YWRhOng=' } };
    expect(await api.stranger.send('GET', '/resources/', other)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    });
  });

  it('without an organization is rejected', async () => {
    const nobody = await api.caller('', { org_id: undefined });
    expect(await nobody.get('/resources/')).toMatchObject({
      status: 403,
      body: { code: 'no_organization' },
    });
    const blank = await api.caller('', { org_id: ' \u00a0' });
    expect(await blank.get('/resources/')).toMatchObject({ status: 401 });
  });
});

describe('roles', () => {
  const type = { provider: 'pg', resource: 'roles', description: '' };

  it('allow a viewer only to read', async () => {
    expect((await viewer.get('/resources/')).status).toBe(200);
    expect((await viewer.get('/projects')).status).toBe(200);
    for (const answer of [
      await viewer.post('/resources/apply', draft),
      await viewer.delete('/resources/pg:db:a'),
      await viewer.post('/resources/register', type),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_role' } });
    }
  });

  it('allow an editor to write resources, but not types', async () => {
    expect((await editor.post('/resources/apply', draft)).status).toBe(200);
    expect((await editor.delete('/resources/pg:db:a')).status).toBe(204);
    expect((await editor.post('/resources/register', type)).status).toBe(403);
    expect((await editor.delete('/resources/unregister/pg/roles')).status).toBe(403);
  });

  it('[H10] are checked before the body is read', async () => {
    const sent = { headers: { 'content-length': '10000000000' }, endless: true };
    expect((await viewer.send('POST', '/resources/apply', sent)).status).toBe(403);
  });
});

describe('paths and verbs', () => {
  it.each(['/nowhere', '/resources/a/b', '/HEALTH', '/health//', '//health', '/resources//'])(
    '%s is unknown, with or without a token',
    async (path) => {
      for (const caller of [admin, api.stranger]) {
        expect(await caller.get(path)).toMatchObject({
          status: 404,
          headers: { 'content-type': 'application/json' },
          body: { detail: 'Not Found', code: 'not_found' },
        });
      }
    },
  );

  it('/ is unknown, and links to the documentation', async () => {
    expect((await api.stranger.get('/')).body).toMatchObject({
      detail: 'Not Found; the interface is described at /docs',
      code: 'not_found',
    });
  });

  it.each([
    ['PUT', '/resources/apply', 'POST'],
    ['GET', '/resources/apply', 'POST'],
    ['POST', '/resources/', 'GET, HEAD'],
    ['PUT', '/resources/a:b:c', 'PATCH, GET, HEAD, DELETE'],
    ['OPTIONS', '/resources/types', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['TRACE', '/health', 'GET, HEAD'],
  ])('%s %s is not allowed; allowed: %s', async (method, path, allow) => {
    expect(await api.stranger.send(method, path)).toMatchObject({
      status: 405,
      headers: { allow },
      body: { detail: 'Method Not Allowed', code: 'method_not_allowed' },
    });
  });

  it('answers HEAD like GET, without content', async () => {
    const whole = await admin.get('/resources/types');
    const head = await admin.send('HEAD', '/resources/types');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
  });

  it('accepts a request target that is an absolute URL, as HTTP/1.1 requires', async () => {
    for (const origin of [`http://fairlead.test:${api.port}`, 'https://[', 'odd://']) {
      const answer = await api.stranger.get(`${origin}/health`);
      expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
      const refused = await api.stranger.get(`${origin}/health?x=1`);
      expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'x'] }] } });
    }
    const nowhere = await api.stranger.get('http://fairlead.test');
    expect(nowhere).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('bodies', () => {
  const apply = (sent: Sent) => admin.send('POST', '/resources/apply', sent);

  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'application/jsonp' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'nonsense' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'identity' }],
  ])('with %j are unsupported', async (headers) => {
    expect(await apply({ headers, body: draft })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type' },
    });
  });

  it.each([
    'application/json',
    'application/json; charset=UTF-8',
    'Application/JSON;charset="utf-8"',
  ])('with %s are accepted', async (type) => {
    expect((await apply({ headers: { 'content-type': type }, body: draft })).status).toBe(200);
  });

  it('are rejected above 1 MiB before they are received', async () => {
    const announced = { 'content-type': 'application/json', 'content-length': `${mebibyte + 1}` };
    const answer = await apply({ headers: announced, endless: true });
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } });
    expect(answer.headers).not.toHaveProperty('expect');
  });

  it('are rejected above 1 MiB in chunks too', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    const answer = await apply({ headers, body: ' '.repeat(mebibyte + 1) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  it('of exactly 1 MiB are accepted, with any content', async () => {
    const text = JSON.stringify(draft);
    const body = text + ' '.repeat(mebibyte - text.length);
    expect((await apply({ body })).status).toBe(200);
    expect((await apply({ body, headers: { 'transfer-encoding': 'chunked' } })).status).toBe(200);
  });

  it('may wait for 100 Continue', async () => {
    expect((await apply({ body: draft, headers: { expect: '100-continue' } })).status).toBe(200);
  });

  it.each([
    ['', ['body'], 'missing'],
    ['{', ['body', 1], 'json_invalid'],
    ['{"a":1,}', ['body', 7], 'json_invalid'],
    ['\u0000', ['body', 0], 'json_invalid'],
    [Buffer.from([0x22, 0xff, 0x22]), ['body', 1], 'json_invalid'],
    ['[]', ['body'], 'dict_type'],
    ['null', ['body'], 'dict_type'],
    ['"text"', ['body'], 'dict_type'],
    ['{"config":{"n":9007199254740993}}', ['body', 'config', 'n'], 'int_too_large'],
    ['{"config":{"n":1e400}}', ['body', 'config', 'n'], 'finite_number'],
    ['{"config":{"a":1,"a":2}}', ['body', 'config', 'a'], 'value_error'],
    ['{"config":{"__proto__":{}}}', ['body', 'config', '__proto__'], 'value_error'],
    [`{"config":${'['.repeat(100_000)}`, expect.any(Array), 'too_deep'],
    [`{"config":[${'0,'.repeat(20_000)}0]}`, expect.any(Array), 'too_many_values'],
  ])('%j is rejected', async (body, loc, type) => {
    const answer = await apply({ body });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc, type }] } });
    expect(answer.text.length, 'the answer is bounded').toBeLessThan(10_000);
  });
});
