// Endpoints without a token, headers of every answer, and answers compared with the OpenAPI document.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type ApiCaller,
  type ServedApi,
  serveApi,
} from '../../support/servers/served-api.ts';

interface Described {
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}
type Document = Record<'paths', Record<string, Record<string, Described>>>;

const signInPath = '/.well-known/oauth-protected-resource';
const publicUrl = 'https://fairlead.test';
let api: ServedApi;
let stranger: ApiCaller;
let admin: ApiCaller;

beforeAll(async () => {
  api = await serveApi({ publicUrl });
  stranger = api.stranger;
  admin = await api.caller('documents');
});

afterAll(() => api?.close());

describe('without a token', () => {
  it.each(['/health', '/livez'])('%s reports that the process is up', async (path) => {
    expect(await stranger.get(path)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });

  it('/readyz lists its checks', async () => {
    expect(await stranger.get('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { caches: true, kubernetes: true } },
    });
  });

  it('an invalid token is ignored', async () => {
    const headers = { authorization: 'Bearer nonsense' };
    expect((await stranger.send('GET', '/health', { headers })).status).toBe(200);
  });

  it('serves the public event keys, without private parts', async () => {
    const { status, body } = await stranger.get('/.well-known/jwks.json');
    expect(status).toBe(200);
    const { keys } = body as { keys: readonly Record<string, unknown>[] };
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
        expect(key).not.toHaveProperty(secret);
      }
    }
  });
});

describe('the metadata for clients without a token', () => {
  it('names the address of the setting, whatever the request names', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test' };
    const answer = await stranger.send('GET', signInPath, { headers });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'public, max-age=60' },
      body: { resource: publicUrl },
    });
    expect(answer.text).not.toContain('evil');
    // The issuer has no client, so it is not published.
    expect(answer.text).not.toContain(api.issuer.url);
  });

  it('is named by every 401', async () => {
    const parameter = `resource_metadata="${publicUrl}${signInPath}"`;
    const challenge = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await stranger.send('GET', '/auth/me', { headers });
      return [answer.status, answer.headers['www-authenticate']];
    };
    expect(await challenge()).toEqual([401, `Bearer ${parameter}`]);
    const invalid = `Bearer error="invalid_token", ${parameter}`;
    expect(await challenge('Bearer nonsense')).toEqual([401, invalid]);
  });
});

describe('/docs', () => {
  const links = (html: string) => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to);

  it('is a page that loads only from its own origin', async () => {
    const page = await stranger.get('/docs');
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
    expect(page.text).not.toMatch(/(?:https?:)?\/\/[a-z]/i);
    expect(links(page.text).length).toBeGreaterThan(2);
    for (const link of links(page.text)) {
      const asset = await stranger.get(link ?? '');
      expect(asset.status, link).toBe(200);
      expect(asset.headers['content-type'], link).toMatch(
        /^(?:text\/(?:css|javascript)|image\/png)/,
      );
    }
  });

  it('has a restrictive content security policy', async () => {
    const { headers } = await stranger.get('/docs');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it.each(['package.json', '..%2Fpackage.json', '%2e%2e%2f%2e%2e%2fpackage.json', 'constructor'])(
    'has no %s',
    async (file) => {
      expect((await stranger.get(`/docs/${file}`)).status).toBe(404);
    },
  );
});

describe('every response', () => {
  it.each(['/health', '/nowhere', '/resources/', '/openapi.json', '/docs'])(
    '%s has a request id and a content type',
    async (path) => {
      const { headers } = await stranger.get(path);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers).not.toHaveProperty('x-powered-by');
      if (path !== '/docs') expect(headers['content-type']).toBe('application/json');
    },
  );

  it.each([
    ['a word', 'trace-1.2_3', true],
    ['128 characters', 'x'.repeat(128), true],
    ['more', 'x'.repeat(129), false],
    ['two words', 'a b', false],
    ['markup', '<script>', false],
    ['nothing', '', false],
  ])('repeats the id of the request when it is %s', async (_what, id, repeated) => {
    const answer = await stranger.send('GET', '/health', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id'] === id).toBe(repeated);
  });

  it('is not cacheable, unless it is public and constant', async () => {
    expect((await admin.get('/resources/')).headers['cache-control']).toBe('no-store');
    expect((await stranger.get('/openapi.json')).headers['cache-control']).toMatch(/^public/);
  });
});

describe('the document', () => {
  const crate = { provider: 'doc', resource: 'crate', name: 'a', config: {} };
  let document: Document;
  let ajv: Ajv2020;

  beforeAll(async () => {
    const { body } = await stranger.get('/openapi.json');
    document = body as Document;
    ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'https://api.test/document', ...document });
    const schema = { type: 'object', properties: { size: { type: 'integer' } } };
    await admin.post('/resources/register', { provider: 'doc', resource: 'crate', schema });
    const tags = ['a'];
    const dependencies = [{ provider: 'doc', resource: 'crate', name: 'b' }];
    await admin.post('/resources/apply', { ...crate, tags, dependencies });
  });

  /** Escaped as a JSON pointer in a URL. */
  const pointer = (...parts: readonly string[]) =>
    parts
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');

  function expectDescribed(method: string, path: string, { status, headers, body }: Answer): void {
    const operation = document.paths[path]?.[method.toLowerCase()];
    const response = operation?.responses[status];
    expect(response, `${method} ${path} does not say that it answers ${status}`).toBeDefined();
    const [type] = Object.keys(response?.content ?? {});
    expect(headers['content-type'], `${method} ${path} ${status}`).toBe(type);
    if (type === undefined) return;
    const at = pointer(
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      `${status}`,
      'content',
      type,
    );
    const validate = ajv.compile({ $ref: `https://api.test/document#/${at}/schema` });
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
  }

  const calls: [number, string, string, string, object?][] = [
    [200, 'GET', '/health', '/health'],
    [200, 'GET', '/livez', '/livez'],
    [200, 'GET', '/readyz', '/readyz'],
    [200, 'GET', '/.well-known/jwks.json', '/.well-known/jwks.json'],
    [200, 'GET', signInPath, signInPath],
    [200, 'GET', '/auth/me', '/auth/me'],
    [200, 'GET', '/projects', '/projects'],
    [404, 'GET', '/projects/{project_id}', '/projects/none'],
    [422, 'GET', '/projects/{project_id}', `/projects/${'x'.repeat(257)}`],
    [200, 'GET', '/resources/', '/resources/'],
    [422, 'GET', '/resources/', '/resources/?limit=0'],
    [200, 'GET', '/resources/{resource_id}', '/resources/doc:crate:a'],
    [404, 'GET', '/resources/{resource_id}', '/resources/doc:crate:none'],
    [422, 'GET', '/resources/{resource_id}', '/resources/none'],
    [200, 'GET', '/resources/{provider}/{resource}/{name}', '/resources/doc/crate/a'],
    [404, 'GET', '/resources/{provider}/{resource}/{name}', '/resources/doc/crate/none'],
    [200, 'GET', '/resources/types', '/resources/types'],
    [200, 'POST', '/resources/apply', '/resources/apply', crate],
    [409, 'POST', '/resources/apply', '/resources/apply', { ...crate, project_id: 'x' }],
    [422, 'POST', '/resources/apply', '/resources/apply', {}],
    [200, 'POST', '/resources/register', '/resources/register', { provider: 'x', resource: 'y' }],
    [422, 'POST', '/resources/register', '/resources/register', { schema: { type: 'odd' } }],
    [204, 'DELETE', '/resources/{resource_id}', '/resources/doc:crate:c'],
    [204, 'DELETE', '/resources/{provider}/{resource}/{name}', '/resources/doc/crate/c'],
    [204, 'DELETE', '/resources/unregister/{provider}/{resource}', '/resources/unregister/x/y'],
  ];

  it.each(calls)('describes the %i of %s %s', async (status, method, path, target, body) => {
    const answer = await admin.send(method, target, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(status);
    expectDescribed(method, path, answer);
  });

  it('describes the errors for a missing token and a missing role', async () => {
    const reader = await api.caller('documents', { roles: [] });
    for (const [, method, path, target] of calls) {
      if (!(document.paths[path]?.[method.toLowerCase()]?.responses['401'] ?? false)) continue;
      expectDescribed(method, path, await stranger.send(method, target));
      expectDescribed(method, path, await reader.send(method, target));
    }
  });

  it('describes every error of a rejected body', async () => {
    for (const path of ['/resources/apply', '/resources/register']) {
      const text = { headers: { 'content-type': 'text/plain' }, body: 'x' };
      expectDescribed('POST', path, await admin.send('POST', path, text));
      const large = { body: ' '.repeat(1_048_577) };
      expectDescribed('POST', path, await admin.send('POST', path, large));
      expectDescribed('POST', path, await admin.send('POST', path, { body: '{' }));
    }
  });
});
