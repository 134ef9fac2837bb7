// The pages of the development issuer: what every one of them has, what hostile input does to them, and the browser of tests.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserVariables, createBrowser, type Visit } from '../../support/clients/browser.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
} from '../../support/servers/issuers/development-issuer.ts';

let issuer: DevelopmentIssuer;

beforeAll(async () => {
  issuer = await developmentIssuer();
});

afterAll(() => issuer?.close());

const pages: Record<string, () => Promise<Visit>> = {
  'the start page': () => createBrowser().open(issuer.url),
  'sign-in': () => createBrowser().open(issuer.authorize().url),
  'sign-in with a mistake': () => submit({ organization: '' }),
  'a form that is too large': () => submit({ organization: 'x'.repeat(9_000) }),
  'code entry': () => createBrowser().open(`${issuer.url}/device`),
  'an unknown code': () => createBrowser().open(`${issuer.url}/device?user_code=BBBB-BBBB`),
  'code approval': async () =>
    createBrowser().open((await issuer.startDevice()).verification_uri_complete),
  'a signed-in device': async () =>
    createBrowser().signIn((await issuer.startDevice()).verification_uri_complete),
  'an error': () => createBrowser().open(issuer.authorize({ redirect_uri: 'http://x/' }).url),
  'a response mode with a script': async () => {
    const browser = createBrowser();
    await browser.signIn(issuer.authorize().url);
    return browser.open(issuer.authorize({ response_mode: 'form_post' }).url);
  },
  'sign-out': () => createBrowser().open(`${issuer.url}/session/end`),
  'an address that does not exist': () => createBrowser().open(`${issuer.url}/nowhere`),
};

it.each(Object.entries(pages))(
  '%s has no script and nothing from elsewhere',
  async (_name, visit) => {
    const { headers, text, left } = await visit();
    expect(left).toBe(false);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' /);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|<link|<img|<iframe|style=|@import|url\(|\son[a-z]+=/i);
    expect(text).toMatch(
      /<html lang="en">[\s\S]*<title>(Error: )?[^<]+ - Fairlead<\/title>[\s\S]*<main>\n<h1>/,
    );
    for (const [, id = ''] of text.matchAll(
      /<input (?:class="entry" )?type="text" id="([^"]*)"/g,
    )) {
      expect(text).toContain(`<label for="${id}">`);
    }
  },
);

async function submit(form: Record<string, string>): Promise<Visit> {
  const browser = createBrowser();
  const { url } = await browser.open(issuer.authorize().url);
  return await browser.open(url, { organization: 'acme', role: 'admin', project: '', ...form });
}

const mistakes: Record<string, { form: Record<string, string>; field: string; says: string }> = {
  'a missing organization': {
    form: { organization: '  ' },
    field: 'id="organization"',
    says: 'The organization is missing.',
  },
  'an organization that is too long': {
    form: { organization: 'o'.repeat(257) },
    field: 'id="organization"',
    says: 'The organization may have 256 characters at most.',
  },
  'an unknown role': {
    form: { role: 'god' },
    field: '<fieldset',
    says: 'The role must be one of viewer, editor, admin.',
  },
  'a project that is too long': {
    form: { project: 'p'.repeat(64) },
    field: 'id="project"',
    says: 'The project may have 63 characters at most.',
  },
};

it.each(Object.entries(mistakes))('marks %s at its field', async (_name, { form, field, says }) => {
  const { status, text } = await submit(form);
  expect(status).toBe(422);
  expect(text).toContain(`<p class="problem" id="problem" role="alert">${says}</p>`);
  const [marked = '', ...others] = text.match(/<[^>]*aria-invalid="true"[^>]*>/g) ?? [];
  expect(marked).toContain(field);
  expect(marked).toContain('aria-errormessage="problem"');
  expect(others).toEqual([]);
});

it('shows hostile input as text, keeps what was entered, and signs nobody in', async () => {
  const hostile = `"'><svg onload=alert(1)>&amp;`;
  const { status, text, left } = await submit({
    organization: hostile,
    project: hostile,
    role: 'x',
  });
  expect({ status, left }).toEqual({ status: 422, left: false });
  const shown = 'value="&quot;&#39;&gt;&lt;svg onload=alert(1)&gt;&amp;amp;"';
  expect(text.split(shown)).toHaveLength(3);
  expect(text).not.toContain('<svg onload');
});

it('shows a hostile organization as text after a device has signed in with it', async () => {
  const device = await issuer.startDevice();
  const organization = '<img src=x onerror=alert(1)>';
  const page = await createBrowser().signIn(device.verification_uri_complete, { organization });
  expect(page.text).toContain('<dd>&lt;img src=x onerror=alert(1)&gt;</dd>');
  const { access_token } = await issuer.poll(device);
  const caller = await issuer.authenticator().authenticate(`Bearer ${access_token}`);
  expect(caller).toMatchObject({ organization: { id: organization } });
});

it('signs in by the program that BROWSER= starts', async () => {
  const received = Promise.withResolvers<string>();
  const server = createServer((req, res) => {
    received.resolve(req.url ?? '');
    res.end('done');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const redirect_uri = `http://127.0.0.1:${port}/callback`;
  const { url, verifier } = issuer.authorize({ redirect_uri });
  const program = join(import.meta.dirname, '../../support/clients/browser.ts');
  await promisify(execFile)(process.execPath, [program, url], {
    env: { [browserVariables.organization]: 'umbrella', [browserVariables.role]: 'viewer' },
  });
  const code = new URL(await received.promise, redirect_uri).searchParams.get('code') ?? '';
  server.close();
  const tokens = await issuer.token({
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    code_verifier: verifier,
  });
  const caller = await issuer.authenticator().authenticate(`Bearer ${tokens.access_token}`);
  expect(caller).toMatchObject({ role: 'viewer', organization: { id: 'umbrella' } });
});
