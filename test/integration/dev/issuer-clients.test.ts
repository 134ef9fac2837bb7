// The clients of the development issuer: where they may be sent, and how their tokens are renewed and revoked.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleClientId } from '../../../src/issuer/identity.ts';
import { createBrowser, type Visit } from '../../support/clients/browser.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
  deviceGrant,
  type Tokens,
} from '../../support/servers/issuers/development-issuer.ts';

let issuer: DevelopmentIssuer;

beforeAll(async () => {
  issuer = await developmentIssuer();
});

afterAll(() => issuer?.close());

async function login(browser = createBrowser(), organization = 'acme'): Promise<Tokens> {
  const { url, verifier } = issuer.authorize({ prompt: 'login' });
  return await issuer.exchange(await browser.signIn(url, { organization }), verifier);
}

it('describes its endpoints, and offers nothing that its clients cannot use', async () => {
  const answer = await fetch(`${issuer.url}/.well-known/openid-configuration`);
  expect(await answer.json()).toMatchObject({
    device_authorization_endpoint: `${issuer.url}/device/auth`,
    revocation_endpoint: `${issuer.url}/token/revocation`,
    end_session_endpoint: `${issuer.url}/session/end`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    token_endpoint_auth_methods_supported: ['none'],
  });
});

const allowed: Record<string, () => Record<string, string>> = {
  'any port of 127.0.0.1': () => ({ redirect_uri: 'http://127.0.0.1:49152/callback' }),
  'any port of localhost': () => ({ redirect_uri: 'http://localhost:1234/callback' }),
  'the console': () => forConsole(`http://localhost:${issuer.apiPort}/console/`),
  'the console at 127.0.0.1': () => forConsole(`http://127.0.0.1:${issuer.apiPort}/console/`),
};

it.each(Object.entries(allowed))('sends the browser back to %s', async (_where, parameters) => {
  const visit = await createBrowser().signIn(issuer.authorize(parameters()).url);
  expect(visit.left).toBe(true);
  expect(visit.url.href).toMatch(parameters()['redirect_uri'] ?? '?');
  expect(visit.url.searchParams.get('code')).not.toBeNull();
});

function forConsole(redirect_uri: string): Record<string, string> {
  return { client_id: consoleClientId, redirect_uri, scope: 'openid' };
}

const refused: Record<string, () => Record<string, string>> = {
  'another path': () => ({ redirect_uri: 'http://127.0.0.1:7777/elsewhere' }),
  'another host': () => ({ redirect_uri: 'http://evil.example/callback' }),
  'a host that looks like loopback': () => ({
    redirect_uri: 'http://127.0.0.1.evil.example/callback',
  }),
  'user info': () => ({ redirect_uri: 'http://127.0.0.1@evil.example/callback' }),
  https: () => ({ redirect_uri: 'https://127.0.0.1:7777/callback' }),
  'a script': () => ({ redirect_uri: 'javascript:alert(1)' }),
  'the page of the command line, for the console': () => forConsole('http://127.0.0.1/callback'),
  'another port, for the console': () => forConsole('http://localhost:1/console/'),
  'another host, for the console': () =>
    forConsole(`http://evil.example:${issuer.apiPort}/console/`),
  'the console, for the command line': () => ({
    redirect_uri: `http://localhost:${issuer.apiPort}/console/`,
  }),
};

it.each(Object.entries(refused))('sends no browser to %s', async (_where, parameters) => {
  const { status, text, left } = await createBrowser().open(issuer.authorize(parameters()).url);
  expect({ status, left }).toEqual({ status: 400, left: false });
  expect(text).toContain('is not registered for its client, so nothing is sent there.');
});

it('refuses a client that it does not know, a request without PKCE, and another response type', async () => {
  const unknown = await createBrowser().open(issuer.authorize({ client_id: '<b>x</b>' }).url);
  expect(unknown.status).toBe(400);
  expect(unknown.text).toContain('This issuer does not know the client of this request.');
  expect(unknown.text).not.toContain('<b>x');
  const without = new URL(issuer.authorize().url);
  for (const name of ['code_challenge', 'code_challenge_method']) without.searchParams.delete(name);
  expect(errorOf(await createBrowser().open(without))).toBe('invalid_request');
  const implicit = issuer.authorize({ response_type: 'id_token' }).url;
  expect(errorOf(await createBrowser().open(implicit))).toBe('unsupported_response_type');
});

function errorOf({ url }: Visit): string | null {
  return url.searchParams.get('error') ?? new URLSearchParams(url.hash.slice(1)).get('error');
}

it('answers access_denied to a client when the person cancels', async () => {
  const visit = await createBrowser().signIn(issuer.authorize().url, { refuses: true });
  expect(errorOf(visit)).toBe('access_denied');
});

it('rotates refresh tokens, and a replayed one revokes the whole login', async () => {
  const first = await login();
  const second = await issuer.refresh(first.refresh_token);
  expect(second.refresh_token).not.toBe(first.refresh_token);
  expect(await issuer.refresh(first.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  expect(await issuer.refresh(second.refresh_token)).toMatchObject({ error: 'invalid_grant' });
});

it('keeps the logins of several organizations in one browser apart', async () => {
  const browser = createBrowser();
  const acme = await login(browser, 'acme');
  const umbrella = await login(browser, 'umbrella');
  await issuer.refresh(umbrella.refresh_token);
  expect(await issuer.refresh(umbrella.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  const renewed = await issuer.refresh(acme.refresh_token);
  const caller = await issuer.authenticator().authenticate(`Bearer ${renewed.access_token}`);
  expect(caller).toMatchObject({ organization: { id: 'acme' } });
});

it('revokes a login by its refresh token, and answers 200 to tokens that are not there', async () => {
  const { refresh_token = '' } = await login();
  const other = await login();
  const revoke = (token: string, parameters = {}) =>
    issuer.post('/token/revocation', { token, token_type_hint: 'refresh_token', ...parameters });
  // Another client cannot revoke it, and does not learn whether it exists.
  expect((await revoke(refresh_token, { client_id: consoleClientId })).status).toBe(200);
  const { refresh_token: next = '' } = await issuer.refresh(refresh_token);
  expect((await revoke(next)).status).toBe(200);
  expect(await issuer.refresh(next)).toMatchObject({ error: 'invalid_grant' });
  expect((await revoke(next)).status).toBe(200);
  expect((await issuer.refresh(other.refresh_token)).error).toBeUndefined();
});

it('gives the console tokens by code and session, no refresh token, and lets only its origin read them', async () => {
  const origin = `http://localhost:${issuer.apiPort}`;
  const parameters = forConsole(`${origin}/console/`);
  const browser = createBrowser();
  await browser.signIn(issuer.authorize(parameters).url, { organization: 'acme' });
  // A reload: the session of the browser suffices.
  const silent = issuer.authorize({ ...parameters, prompt: 'none' });
  const visit = await browser.open(silent.url);
  const exchange = (from: string) =>
    fetch(`${issuer.url}/token`, {
      method: 'POST',
      headers: { origin: from },
      body: new URLSearchParams({
        ...parameters,
        grant_type: 'authorization_code',
        code: visit.url.searchParams.get('code') ?? '',
        code_verifier: silent.verifier,
      }),
    });
  const stranger = await exchange('http://localhost:1');
  expect(stranger.status).toBe(403);
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  const answer = await exchange(origin);
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
  const tokens = (await answer.json()) as Tokens;
  expect(tokens.refresh_token).toBeUndefined();
  const caller = await issuer.authenticator().authenticate(`Bearer ${tokens.access_token}`);
  expect(caller).toMatchObject({ organization: { id: 'acme' } });
});

it('signs a browser out after asking, and keeps the login of the command line', async () => {
  const browser = createBrowser();
  const { refresh_token } = await login(browser);
  const page = await browser.open(`${issuer.url}/session/end`);
  expect(page.text).toContain('<dd>acme</dd>');
  expect((await browser.signIn(page.url)).text).toContain('You are signed out in this browser.');
  expect((await browser.open(page.url)).text).toContain('You are signed out in this browser.');
  expect(errorOf(await browser.open(issuer.authorize({ prompt: 'none' }).url))).toBe(
    'login_required',
  );
  expect((await issuer.refresh(refresh_token)).error).toBeUndefined();
});
