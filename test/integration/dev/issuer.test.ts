// The development issuer as programs and people meet it: the code flow through its page, and tokens from its command.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { printableToken } from '../../../src/dev/token.ts';
import { StartError } from '../../../src/domain/errors.ts';
import { createBrowser } from '../../support/clients/browser.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
} from '../../support/servers/issuers/development-issuer.ts';

let issuer: DevelopmentIssuer;

beforeAll(async () => {
  issuer = await developmentIssuer();
});

afterAll(() => issuer?.close());

it('signs a person in through its page, and a program gets and renews a token that is accepted', async () => {
  const browser = createBrowser();
  const { url, verifier } = issuer.authorize();
  const page = await browser.open(url);
  expect(page.url.pathname).toMatch(/^\/interaction\//);
  expect(page.text).toContain('accepts any identity without a password');
  const choice = { organization: 'acme', role: 'editor', project: 'p-1' };
  const back = await browser.open(page.url, choice);
  expect(back.url.searchParams.get('iss')).toBe(issuer.url);
  const tokens = await issuer.exchange(back, verifier);
  const authenticator = issuer.authenticator();
  const caller = await authenticator.authenticate(`Bearer ${tokens.access_token}`);
  expect(caller).toMatchObject({ role: 'editor', project: 'p-1', organization: { id: 'acme' } });
  const { access_token } = await issuer.refresh(tokens.refresh_token);
  const renewed = await authenticator.authenticate(`Bearer ${access_token}`);
  expect(renewed).toEqual({ ...caller, expiresAt: renewed.expiresAt });
  // A code is good once.
  expect((await issuer.exchange(back, verifier)).error).toBe('invalid_grant');
});

it('refuses an interaction that another browser began', async () => {
  const { url } = await createBrowser().open(issuer.authorize().url);
  const choice = { organization: 'acme', role: 'admin', project: '' };
  const stranger = createBrowser();
  await stranger.open(issuer.url);
  const answer = await stranger.open(url, choice);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('or it was started in another browser. Start the sign-in again');
});

it('answers to no other name than localhost, so that a foreign page cannot be pointed at it', async () => {
  const status = await new Promise((resolve) => {
    const call = request({
      port: issuer.port,
      host: '127.0.0.1',
      path: '/',
      headers: { host: 'evil.example' },
    });
    call.once('response', (answer) => resolve(answer.statusCode)).end();
  });
  expect(status).toBe(421);
});

const settingsOfToken = () => ({
  dataFolder: issuer.dataFolder,
  issuerPort: issuer.port,
  givenPorts: ['issuerPort'] as const,
});

it('prints tokens that are accepted, with the role and project that were asked for', async () => {
  const settings = settingsOfToken();
  const authenticator = issuer.authenticator();
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
  const failure = printableToken(argv, settingsOfToken());
  await expect(failure).rejects.toThrow(StartError);
  await expect(failure).rejects.toThrow(/Usage: npm run --silent token/);
});

it('keeps its key, and says what to do when the file is damaged', async () => {
  const words = ['--org', 'acme'];
  const before = await printableToken(words, settingsOfToken());
  await issuer.restart();
  const fresh = issuer.authenticator();
  expect(await fresh.authenticate(`Bearer ${before}`)).toMatchObject({ role: 'admin' });
  const elsewhere = await mkdtemp(join(tmpdir(), 'fairlead-issuer-'));
  const settings = { ...settingsOfToken(), dataFolder: elsewhere };
  await expect(printableToken(words, settings)).rejects.toThrow(/Start Fairlead once/);
  await writeFile(join(elsewhere, 'issuer-keys.json'), '{"keys":[{}]}');
  await expect(printableToken(words, settings)).rejects.toThrow(
    /Delete the file to create a new key/,
  );
  await rm(elsewhere, { recursive: true, force: true });
});

it('binds a token to an API of this machine, and issues none for another', async () => {
  const resource = 'http://localhost:9000';
  const { url, verifier } = issuer.authorize({ resource });
  const back = await createBrowser().signIn(url);
  const tokens = await issuer.exchange(back, verifier, { resource });
  const refreshed = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
  const renewed = await issuer.token({ ...refreshed, resource });
  for (const { access_token } of [tokens, renewed]) {
    const caller = issuer.authenticator().authenticate(`Bearer ${access_token}`);
    expect(await caller).toMatchObject({ organization: { id: 'acme' } });
  }
  for (const foreign of ['https://fairlead.example.org', 'http://localhost.example.org']) {
    const refused = await createBrowser().open(issuer.authorize({ resource: foreign }).url);
    expect(refused.url.searchParams.get('error'), foreign).toBe('invalid_target');
  }
});
