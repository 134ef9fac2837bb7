// The device authorization grant (RFC 8628) of the development issuer: a program polls while a person approves its code.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createBrowser } from '../../support/clients/browser.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  type DevelopmentIssuer,
  developmentIssuer,
} from '../../support/servers/issuers/development-issuer.ts';

let issuer: DevelopmentIssuer;

beforeAll(async () => {
  issuer = await developmentIssuer();
});

afterAll(() => issuer?.close());

afterEach(() => {
  vi.useRealTimers();
});

it('gives a device tokens once a person has entered and approved its code', async () => {
  const device = await issuer.startDevice();
  expect(device).toMatchObject({
    user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    verification_uri: `${issuer.url}/device`,
    expires_in: 600,
    interval: 5,
  });
  expect((await issuer.poll(device)).error).toBe('authorization_pending');
  // People type codes as they like.
  const userCode = device.user_code.toLowerCase().replace('-', ' ');
  const visitor = { organization: 'acme', role: 'viewer', userCode };
  const page = await createBrowser().signIn(device.verification_uri, visitor);
  expect(page.text).toContain('The device is signed in.');
  const tokens = await issuer.poll(device);
  const caller = await issuer.authenticator().authenticate(`Bearer ${tokens.access_token}`);
  expect(caller).toMatchObject({ role: 'viewer', organization: { id: 'acme' } });
  expect((await issuer.refresh(tokens.refresh_token)).error).toBeUndefined();
  expect((await issuer.poll(device)).error).toBe('invalid_grant');
});

it('shows the code of the complete address for approval, and asks for an identity each time', async () => {
  const browser = createBrowser();
  for (const organization of ['acme', 'umbrella']) {
    const device = await issuer.startDevice();
    const page = await browser.open(device.verification_uri_complete);
    expect(page.text).toContain(`<p class="code">${device.user_code}</p>`);
    expect(page.text).not.toContain('<script');
    await browser.signIn(device.verification_uri_complete, { organization });
    const { access_token } = await issuer.poll(device);
    const caller = await issuer.authenticator().authenticate(`Bearer ${access_token}`);
    expect(caller).toMatchObject({ organization: { id: organization } });
  }
});

it('gives tokens to a device that requests no scope', async () => {
  const device = (await (await issuer.post('/device/auth', {})).json()) as never;
  await createBrowser().signIn(device['verification_uri_complete']);
  expect((await issuer.poll(device)).access_token).toBeTypeOf('string');
});

it('answers slow_down to a poll that comes too early, and counts each device by itself', async () => {
  const device = await issuer.startDevice();
  expect((await issuer.poll(device)).error).toBe('authorization_pending');
  await eventually(async () =>
    expect(await issuer.poll(device)).toMatchObject({
      error: 'slow_down',
      error_description: expect.stringContaining('wait 5 seconds longer'),
    }),
  );
  const another = await issuer.startDevice();
  expect((await issuer.poll(another)).error).toBe('authorization_pending');
});

it('answers expired_token to a device that was not approved in time, and the page explains it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const device = await issuer.startDevice();
  vi.setSystemTime(Date.now() + (device.expires_in + 1) * 1_000);
  expect((await issuer.poll(device)).error).toBe('expired_token');
  const { status, text } = await createBrowser().open(device.verification_uri_complete);
  expect(status).toBe(400);
  expect(text).toContain('This code has expired or was used already. Start the sign-in again');
});

const refusals = { 'the code': 'abort', 'the sign-in': 'cancel' };

it.each(Object.entries(refusals))(
  'answers access_denied when %s is refused',
  async (_what, button) => {
    const device = await issuer.startDevice();
    const browser = createBrowser();
    let page = await browser.open(device.verification_uri_complete);
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? [];
    const form = { xsrf, user_code: device.user_code };
    if (button === 'abort') page = await browser.open(page.url, { ...form, abort: 'yes' });
    else {
      page = await browser.open(page.url, { ...form, confirm: 'yes' });
      page = await browser.open(page.url, { cancel: 'yes' });
    }
    expect(page.text).toContain('The device is not signed in.');
    expect((await issuer.poll(device)).error).toBe('access_denied');
  },
);

it('explains a code that does not exist, and shows hostile input as text', async () => {
  const hostile = '"><script>alert(1)</script>';
  const browser = createBrowser();
  const [, xsrf = ''] =
    /name="xsrf" value="([^"]*)"/.exec((await browser.open(`${issuer.url}/device`)).text) ?? [];
  const entered = await browser.open(`${issuer.url}/device`, { xsrf, user_code: hostile });
  const address = `${issuer.url}/device?${new URLSearchParams({ user_code: hostile }).toString()}`;
  for (const { status, text } of [entered, await browser.open(address)]) {
    expect(status).toBe(400);
    expect(text).toContain('This code does not exist.');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain('<script');
  }
});

it('approves nothing for a form that another site could have made', async () => {
  const device = await issuer.startDevice();
  const browser = createBrowser();
  await browser.open(device.verification_uri_complete);
  const forged = { xsrf: '0'.repeat(48), user_code: device.user_code, confirm: 'yes' };
  const { status, text } = await browser.open(device.verification_uri, forged);
  expect(status).toBe(400);
  expect(text).toContain('This page has expired or was opened in another browser.');
  expect((await issuer.poll(device)).error).toBe('authorization_pending');
});
