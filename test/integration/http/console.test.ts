// The files of the console: headers, encodings, caches, and what it is told before anybody signs in.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStaticFiles } from '../../../src/http/response/static-files.ts';
import type { ConsoleSettings } from '../../../src/http/routes/console.ts';
import { serveRoutes } from '../../support/fixtures/api/every-route.ts';

const signIn = {
  issuer: 'https://id.example.org/realms/main',
  clientId: 'fairlead-console',
  scope: 'openid',
  parameters: { audience: 'fairlead' },
  token: 'access_token',
} as const;
const script = 'console-AB12CD34.js';
const page = `<script src="/console/${script}"></script>`;

async function serve(console: ConsoleSettings) {
  const listening = await serveRoutes({}, { console });
  const url = `http://127.0.0.1:${listening.port}`;
  return {
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(`${url}${path}`, { method, redirect: 'manual', headers }),
    close: () => listening.close(0),
  };
}

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-console-'));
  let api: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    writeFileSync(join(folder, 'index.html'), page);
    writeFileSync(join(folder, script), 'render();'.repeat(100));
    api = await serve({ files: readStaticFiles(folder), signIn });
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['/console', '/console/', '/console/?code=1&state=2', '/console/index.html'])(
    'is a page at %s, under a strict policy',
    async (path) => {
      const answer = await api.get(path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(page);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' https://id.example.org; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      });
    },
  );

  it('lets browsers keep files that are named after their content', async () => {
    const answer = await api.get(`/console/${script}`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const etag = answer.headers.get('etag') ?? '';
    const again = await api.get(`/console/${script}`, { 'if-none-match': `"other", W/${etag}` });
    // fetch asks for gzip, which is another representation.
    expect([again.status, await again.text()]).toEqual([304, '']);
    const changed = await api.get(`/console/${script}`, { 'if-none-match': '"other"' });
    expect(changed.status).toBe(200);
  });

  it.each([
    ['gzip, br', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
  ])('sends with Accept-Encoding: %s the encoding %s', async (accepted, encoding) => {
    const answer = await api.get(`/console/${script}`, { 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(await answer.text()).toBe('render();'.repeat(100));
  });

  it('sends no content for HEAD', async () => {
    const answer = await api.get('/console/', { 'accept-encoding': 'identity' }, 'HEAD');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, `${page.length}`]);
  });

  it.each([
    '/console/none.js',
    '/console/..%2findex.html',
    '/console/%2e%2e%2f..%2fpackage.json',
    '/console/a/b',
  ])('has nothing at %s', async (path) => {
    const answer = await api.get(path);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ detail: 'Not Found', code: 'not_found' }),
    ]);
  });

  it('is only read', async () => {
    const answer = await api.get('/console/', {}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is told how to sign in, and is no part of the described API', async () => {
    const settings = await api.get('/console/settings.json');
    expect(await settings.json()).toEqual({ signIn, commandLine: false });
    expect(settings.headers.get('cache-control')).toBe('no-store');
    const { paths } = (await (await api.get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.includes('console'))).toEqual([]);
  });

  it('says that it is not built, and that nobody can sign in at it', async () => {
    const bare = await serve({ files: readStaticFiles(join(folder, 'none')), signIn: undefined });
    const missing = await bare.get('/console/');
    expect([missing.status, await missing.json()]).toEqual([
      404,
      expect.objectContaining({ help: expect.stringContaining('npm run build') }),
    ]);
    const settings = await bare.get('/console/settings.json');
    expect(await settings.json()).toEqual({ signIn: null, commandLine: false });
    await bare.close();
  });
});
