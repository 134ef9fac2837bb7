import { request } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Callback, listenForCallback } from '../../../../../src/cli/session/login/callback.ts';

let callback: Callback;

beforeEach(async () => {
  callback = await listenForCallback('the-state');
});
afterEach(() => callback.close());

function open(path: string, { method = 'GET', host }: { method?: string; host?: string } = {}) {
  const url = new URL(path, callback.redirectUri);
  const headers = host === undefined ? {} : { host };
  return new Promise<{ status: number; text: string; policy: unknown }>((done, failed) => {
    request(url, { method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () => {
        const policy = answer.headers['content-security-policy'];
        done({ status: answer.statusCode ?? 0, text, policy });
      });
    })
      .on('error', failed)
      .end();
  });
}

const good = '/callback?code=c&state=the-state';

it.each([
  ['another path', '/', {}, 404],
  ['another method', good, { method: 'POST' }, 405],
  ['the name of a web page that resolves to this machine', good, { host: 'evil.example' }, 421],
  ['localhost, which others may resolve', good, { host: 'localhost' }, 421],
  ['no state', '/callback?code=c', {}, 400],
  ['a state of somebody else', '/callback?code=c&state=another-s', {}, 400],
  ['a longer state', '/callback?code=c&state=the-state-', {}, 400],
])('refuses %s, and waits on', async (_, path, options, status) => {
  expect(await open(path, options)).toMatchObject({ status });
  const [{ status: taken }, url] = await Promise.all([open(good), callback.answered]);
  expect([taken, url.searchParams.get('code')]).toEqual([200, 'c']);
});

it('takes the first answer, listens on the literal address, and shows a page without script', async () => {
  expect(callback.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const [first, url] = await Promise.all([open(good), callback.answered]);
  await open('/callback?code=second&state=the-state');
  expect((await callback.answered).href).toBe(url.href);
  expect(first.policy).toContain("default-src 'none'");
  expect(first.text).not.toContain('<script');
});

it('passes a rejection on', async () => {
  const path = '/callback?error=access_denied&state=the-state';
  const [{ text }, url] = await Promise.all([open(path), callback.answered]);
  expect(url.searchParams.get('error')).toBe('access_denied');
  expect(text).toContain('You are not signed in');
});
