// The development issuer as programs and people meet it: the code flow through its page, and tokens from its command.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printableToken } from '../../../src/dev/token.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { StartError } from '../../../src/domain/start-error.ts';
import { type Authenticator, createAuthenticator } from '../../../src/http/auth/authenticate.ts';
import { clientId } from '../../../src/issuer/identity.ts';
import { algorithm } from '../../../src/issuer/keys.ts';
import { type DevIssuer, startIssuer } from '../../../src/issuer/server.ts';
import { freePort } from '../../support/free-port.ts';

let dataFolder: string;
let port: number;
let issuer: DevIssuer;
let authenticator: Authenticator;

const callback = 'http://127.0.0.1:7777/callback';

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'fairlead-issuer-'));
  port = await freePort();
  issuer = await startIssuer({ dataFolder, port, log: silentLog });
  authenticator = trusting(issuer);
});

afterAll(async () => {
  await issuer?.close();
  await rm(dataFolder, { recursive: true, force: true });
});

function trusting({ issuer }: DevIssuer): Authenticator {
  const settings = {
    issuer,
    audience: 'fairlead',
    algorithms: [algorithm],
    organizationClaim: 'org_id',
    rolesClaim: 'roles',
    platform: true,
  };
  return createAuthenticator({ issuers: [settings], clock: systemClock, log: silentLog });
}

/** A browser: it keeps cookies and follows nothing by itself. */
function browser() {
  const cookies = new Map<string, string>();
  return async (url: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(url, issuer.issuer), {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: answer.status, to: answer.headers.get('location') ?? '', page: answer };
  };
}

function authorizationUrl(verifier: string): string {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid',
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `/auth?${query.toString()}`;
}

async function exchange(parameters: Record<string, string>) {
  const answer = await fetch(`${issuer.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...parameters }),
  });
  return (await answer.json()) as { access_token?: string; refresh_token?: string; error?: string };
}

it('signs a person in through its page, and a program gets and renews a token that is accepted', async () => {
  const visit = browser();
  const verifier = randomBytes(32).toString('base64url');
  const { to: page } = await visit(authorizationUrl(verifier));
  expect(page).toMatch(/^\/interaction\//);
  expect(await (await visit(page)).page.text()).toContain(
    'accepts any identity without a password',
  );
  const choice = { organization: 'acme', role: 'editor', project: 'p-1' };
  const { to: resume } = await visit(page, choice);
  const { to: back } = await visit(resume);
  const code = new URL(back).searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
  const tokens = await exchange({ ...grant, code_verifier: verifier });
  const caller = await authenticator.authenticate(`Bearer ${tokens.access_token}`);
  expect(caller).toMatchObject({ role: 'editor', project: 'p-1', organization: { id: 'acme' } });
  const refresh_token = tokens.refresh_token ?? '';
  const renewed = await exchange({ grant_type: 'refresh_token', refresh_token });
  expect(await authenticator.authenticate(`Bearer ${renewed.access_token}`)).toEqual(caller);
  // A code is good once.
  expect((await exchange({ ...grant, code_verifier: verifier })).error).toBe('invalid_grant');
});

it('says on the page what is wrong with a choice, and signs nobody in', async () => {
  const visit = browser();
  const { to: page } = await visit(authorizationUrl('v'.repeat(43)));
  const answer = await visit(page, { organization: '<b>', role: 'god', project: '' });
  expect(answer.status).toBe(422);
  expect(await answer.page.text()).toContain('The role must be one of viewer, editor, admin.');
});

it('refuses an interaction that another browser began', async () => {
  const { to: page } = await browser()(authorizationUrl('v'.repeat(43)));
  const answer = await browser()(page, { organization: 'acme', role: 'admin', project: '' });
  expect(answer.status).toBe(400);
});

it('answers to no other name than localhost, so that a foreign page cannot be pointed at it', async () => {
  const status = await new Promise((resolve) => {
    const call = request({ port, host: '127.0.0.1', path: '/', headers: { host: 'evil.example' } });
    call.once('response', (answer) => resolve(answer.statusCode)).end();
  });
  expect(status).toBe(421);
});

it('prints tokens that are accepted, with the role and project that were asked for', async () => {
  const settings = { dataFolder, issuerPort: port };
  const plain = await printableToken(['--org', 'acme'], settings);
  expect(await authenticator.authenticate(`Bearer ${plain}`)).toMatchObject({ role: 'admin' });
  const words = ['--org', 'acme', '--role', 'viewer', '--project', 'p', '--expires', '30m'];
  const platform = await printableToken(words, settings);
  expect(await authenticator.authenticate(`Bearer ${platform}`)).toMatchObject({
    role: 'viewer',
    project: 'p',
  });
});

const mistakes: Record<string, readonly string[]> = {
  'no organization': [],
  'an unknown role': ['--org', 'acme', '--role', 'root'],
  'an unknown flag': ['--org', 'acme', '--rolle', 'admin'],
  'a time that is none': ['--org', 'acme', '--expires', 'soon'],
  'a time of more than a day': ['--org', 'acme', '--expires', '2d'],
};

it.each(Object.entries(mistakes))('answers %s with its usage', async (_what, argv) => {
  const failure = printableToken(argv, { dataFolder, issuerPort: port });
  await expect(failure).rejects.toThrow(StartError);
  await expect(failure).rejects.toThrow(/Usage: npm run --silent token/);
});

it('keeps its key, and says what to do when the file is damaged', async () => {
  const words = ['--org', 'acme'];
  const before = await printableToken(words, { dataFolder, issuerPort: port });
  await issuer.close();
  issuer = await startIssuer({ dataFolder, port, log: silentLog });
  const fresh = trusting(issuer);
  expect(await fresh.authenticate(`Bearer ${before}`)).toMatchObject({ role: 'admin' });
  const elsewhere = await mkdtemp(join(tmpdir(), 'fairlead-issuer-'));
  const settings = { dataFolder: elsewhere, issuerPort: port };
  await expect(printableToken(words, settings)).rejects.toThrow(/Start Fairlead once/);
  await writeFile(join(elsewhere, 'issuer-keys.json'), '{"keys":[{}]}');
  await expect(printableToken(words, settings)).rejects.toThrow(
    /Delete the file to create a new key/,
  );
  await rm(elsewhere, { recursive: true, force: true });
});
