// Sign-ins at APIs and an issuer that the test runs: what the issuer is asked for, and when the person is asked first.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, resolve } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { needsQuestion, sharedWith } from '../../../../../src/cli/commands/account/login.ts';
import { newHome, runClient } from '../../../../support/clients/client.ts';
import { sendJson } from '../../../../support/servers/issuers/loopback-issuer.ts';

const variables = {
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  BROWSER: resolve(import.meta.dirname, '../../../../support/clients/browser.ts'),
};
/** The parameters that the issuer got, by path. */
const received: [path: string, parameters: URLSearchParams][] = [];
const callers: (string | undefined)[] = [];
let parameters: Record<string, string>;
let scope: string;
let home: string;
let issuer: string;
let api: string;

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function answerAsIssuer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '', issuer);
  let form = search;
  for await (const part of request) form += String(part);
  if (pathname.startsWith('/.well-known/')) {
    sendJson(response, {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      device_authorization_endpoint: `${issuer}/device`,
    });
    return;
  }
  const given = new URLSearchParams(form);
  received.push([pathname, given]);
  if (pathname === '/auth') {
    const back = `${given.get('redirect_uri')}?code=c&state=${given.get('state')}`;
    response.writeHead(303, { location: back }).end();
  } else if (pathname === '/device') {
    const uri = `${issuer}/code`;
    const code = { device_code: 'd', user_code: 'u', verification_uri: uri };
    sendJson(response, { ...code, expires_in: 60, interval: 0.01 });
  } else {
    const tokens = { access_token: 'a', refresh_token: 'r', token_type: 'Bearer' };
    sendJson(response, { ...tokens, id_token: idToken(), expires_in: 3_600 });
  }
}

/** The client takes it from the issuer itself, so it does not verify the signature. */
function idToken(): string {
  const iat = Math.floor(Date.now() / 1_000);
  const asked = received.findLast(([path]) => path === '/auth')?.[1].get('nonce');
  const nonce = asked == null ? {} : { nonce: asked };
  const claims = { iss: issuer, aud: 'fairlead-cli', sub: 'ada', iat, exp: iat + 3_600, ...nonce };
  const parts = [{ alg: 'RS256' }, claims].map((part) => JSON.stringify(part));
  return [...parts, 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.');
}

function answerAsApi(url: string, request: IncomingMessage, response: ServerResponse): void {
  const client = { issuer, client_id: 'fairlead-cli', scope, parameters };
  const metadata = { resource: url, fairlead_clients: [client] };
  const me = { organization_id: 'acme', subject: 'ada', role: 'admin', project_id: null };
  const isPublic = request.url === '/.well-known/oauth-protected-resource';
  if (!isPublic) callers.push(request.headers.authorization);
  sendJson(response, isPublic ? metadata : me);
}

async function startApi(): Promise<{ url: string; server: Server }> {
  const started = await serve((request, response) => answerAsApi(started.url, request, response));
  return started;
}

beforeEach(async () => {
  home = newHome();
  parameters = {};
  scope = 'openid offline_access';
  received.length = 0;
  callers.length = 0;
  const [issuing, serving] = [await serve(answerAsIssuer), await startApi()];
  issuer = issuing.url;
  api = serving.url;
  return () => {
    for (const { server } of [issuing, serving]) {
      server.close();
      server.closeAllConnections();
    }
  };
});

async function client(words: string) {
  return await runClient(words.split(' '), { home, variables });
}

const resources = () => received.map(([path, given]) => [path, given.get('resource')]);

it('[C03] names the API in each request to the issuer', async () => {
  expect(await client(`login ${api}`)).toMatchObject({ code: 0 });
  expect(resources()).toEqual([
    ['/auth', api],
    ['/token', api],
  ]);
  received.length = 0;
  expect(await client('token --min-valid 2h')).toMatchObject({ code: 0 });
  expect(resources()).toEqual([['/token', api]]);
  received.length = 0;
  expect(await client(`login ${api} --device`)).toMatchObject({ code: 0 });
  expect(resources()).toEqual([
    ['/device', api],
    ['/token', api],
  ]);
});

it('leaves the parameter out for an issuer that refuses it', async () => {
  parameters = { resource: '', prompt: 'login' };
  expect(await client(`login ${api}`)).toMatchObject({ code: 0 });
  expect(await client('token --min-valid 2h')).toMatchObject({ code: 0 });
  expect(received.map(([path, given]) => [path, given.has('resource')])).toEqual([
    ['/auth', false],
    ['/token', false],
    ['/token', false],
  ]);
  expect(received[0]?.[1].get('prompt')).toBe('login');
});

it.each([
  { resource: 'https://fairlead.example.org' },
  { resource: 'urn:fairlead' },
  { audience: 'https://fairlead.example.org/' },
])('[C03] does not ask for a token of another API: %j', async (asked) => {
  parameters = asked;
  const { code, stderr } = await client(`login ${api}`);
  expect(stderr).toContain(`The metadata of ${api} asks for a token of another API.`);
  expect(code).toBe(4);
  expect(received).toEqual([]);
});

it('[C03] asks for no scope of another API, unless it is given by hand', async () => {
  scope = 'openid https://graph.example.org/User.Read';
  const { code, stderr } = await client(`login ${api}`);
  expect(stderr).toContain(`The metadata of ${api} asks for a token of another API.`);
  expect(stderr).toContain('scope  https://graph.example.org/User.Read');
  expect(stderr).toContain(`fairlead login ${api} --scope 'openid https://graph.`);
  expect([code, received]).toEqual([4, []]);
  const words = ['login', api, '--scope', scope];
  expect(await runClient(words, { home, variables })).toMatchObject({ code: 0 });
  expect(received[0]?.[1].get('scope')).toBe(scope);
  scope = `openid ${api}/use api://fairlead/use`;
  expect(await client(`login ${api}`)).toMatchObject({ code: 0 });
});

it('[C03] shows what the metadata asks for, and that it switches the binding off', async () => {
  await client(`login ${api}`);
  const other = await startApi();
  const question = async () =>
    (await client(`login ${other.url} --context other`)).stderr.replaceAll(/\s+/g, ' ');
  try {
    expect(await question()).toContain('It asks for the scope openid offline_access.');
    expect(await question()).not.toContain('not bound');
    scope = 'openid api://real-fairlead/.default';
    parameters = { resource: '', audience: 'real' };
    expect(await question()).toContain(
      'It asks for the scope openid api://real-fairlead/.default and the audience real. The token is not bound to this API',
    );
  } finally {
    other.server.close();
    other.server.closeAllConnections();
  }
});

it('[C03] asks before an API gets a token of the issuer and client of another', async () => {
  await client(`login ${api}`);
  received.length = 0;
  callers.length = 0;
  const other = await startApi();
  try {
    const refused = await client(`login ${other.url} --context other`);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`gets a token of ${issuer} for the client fairlead-cli.`);
    expect(refused.stderr).toContain(`You use this issuer and client for ${api}.`);
    expect(refused.stderr).toContain(`fairlead login ${other.url} --yes`);
    expect([received, callers]).toEqual([[], []]);
    const agreed = await client(`login ${other.url} --context other --yes`);
    expect(agreed.stderr).toContain('Warning: You use this issuer and client');
    expect(agreed.code).toBe(0);
    // The person has agreed.
    expect(await client(`login ${other.url} --context other`)).toMatchObject({ code: 0 });
  } finally {
    other.server.close();
    other.server.closeAllConnections();
  }
});

const at = (url: string, isNew = true) => ({ url: new URL(url), isNew });
const local = { issuer: 'http://localhost:8001', clientId: 'fairlead-cli' };
const company = { issuer: 'https://id.example.org', clientId: 'fairlead-cli' };
const login = (api: string) => ({ api, issuer: company.issuer, client_id: 'fairlead-cli' });

it.each([
  ['a new API', at('https://a.example'), company, [], true],
  ['a known API', at('https://a.example', false), company, [], false],
  ['the local default', at('http://localhost:8000'), local, [], false],
  ['a local API with the issuer of a company', at('http://localhost:8000'), company, [], true],
  ['another client', at('http://localhost:8000'), { ...local, clientId: 'x' }, [], true],
  ['an issuer that is none', at('http://localhost:8000'), { ...local, issuer: 'x' }, [], true],
  [
    'a known API with the issuer of another',
    at('https://a.example', false),
    company,
    [login('https://b.example')],
    true,
  ],
  [
    'an API with a login beside another',
    at('https://a.example', false),
    company,
    [login('https://a.example'), login('https://b.example')],
    false,
  ],
])('decides whether to ask at %s', (_, target, client, logins, expected) => {
  expect(needsQuestion({ target, client, logins })).toBe(expected);
});

it('names each other API once', () => {
  const logins = [login('https://b.example'), login('https://b.example')];
  const target = at('https://a.example');
  expect(sharedWith({ target, client: company, logins })).toEqual(['https://b.example']);
});
