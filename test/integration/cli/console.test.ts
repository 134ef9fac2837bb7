// `fairlead console`: who may use the pages on loopback, and what passes between browser, command line and API.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as send } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/commands/run.ts';
import { Upstream } from '../../support/browser/console-upstream.ts';
import { Buffered, clientEnvironment, newHome, runClient } from '../../support/clients/client.ts';
import { eventually } from '../../support/runner/eventually.ts';

const token = 'the-token-of-the-login';
interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** With headers that fetch does not let its callers set. */
async function ask(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(url, { method, headers, agent: false }, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  let text = '';
  for await (const part of response) text += String(part);
  return { status: response.statusCode ?? 0, headers: response.headers, body: text };
}

describe('fairlead console', () => {
  let upstream: Upstream;
  let stop: AbortController;
  let ended: Promise<number>;
  const sinks = { stdout: new Buffered(), stderr: new Buffered() };

  async function start(...flags: readonly string[]): Promise<URL> {
    sinks.stdout.text = '';
    const variables = { FAIRLEAD_URL: upstream.url, FAIRLEAD_TOKEN: token };
    const environment = clientEnvironment({ variables }, sinks);
    ended = run(['console', '--no-browser', ...flags], environment, stop.signal);
    return await eventually(() => new URL(sinks.stdout.text.trim()));
  }

  /** Opens the address as a browser does. @returns the header of its page */
  async function open(url: URL): Promise<Record<string, string>> {
    const opened = await ask(url.href, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(opened.status).toBe(303);
    expect(opened.headers).not.toHaveProperty('set-cookie');
    const [, key = ''] = /^\/console\/#key=([\w-]{43})$/.exec(opened.headers.location ?? '') ?? [];
    expect(key).not.toBe('');
    return { 'fairlead-console-key': key };
  }

  beforeEach(async () => {
    stop = new AbortController();
    upstream = new Upstream();
    await upstream.start();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
    upstream.close();
  });

  it('passes requests on with the token, which the browser never sees', async () => {
    const url = await start();
    const key = await open(url);
    const headers = {
      ...key,
      cookie: 'other=of-another-program',
      authorization: 'Bearer of-the-browser',
      origin: url.origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'if-match': '"6"',
      'x-forwarded-for': '10.0.0.1',
    };
    const reply = await ask(`${url.origin}/resources/apply?dry_run=true`, {
      method: 'POST',
      headers,
      body: '{"a":1}',
    });
    expect(reply).toMatchObject({ status: 200, body: '{"url":"/resources/apply?dry_run=true"}' });
    expect(reply.headers).toMatchObject({ etag: '"7"' });
    expect(reply.headers).not.toHaveProperty('set-cookie');
    expect(JSON.stringify(reply)).not.toContain(token);
    const { method, body, headers: received = {} } = upstream.requests.at(-1) ?? {};
    expect({ method, body }).toEqual({ method: 'POST', body: '{"a":1}' });
    expect(received).toMatchObject({ authorization: `Bearer ${token}`, 'if-match': '"6"' });
    for (const name of [...Object.keys(key), 'cookie', 'origin', 'x-forwarded-for']) {
      expect(received).not.toHaveProperty(name);
    }
    const settings = await ask(`${url.origin}/console/settings.json`);
    expect(JSON.parse(settings.body)).toEqual({ signIn: null, commandLine: true });
  });

  it('[C04] lets in the page whose browser opened the address, and no other', async () => {
    const url = await start();
    const before = await ask(`${url.origin}/resources/`);
    expect(before.status).toBe(403);
    const key = await open(url);
    const [value = ''] = Object.values(key);
    const refused: Record<string, Record<string, string>> = {
      'no key': {},
      'another key': { 'fairlead-console-key': 'A'.repeat(43) },
      'a cookie alone': { cookie: `fairlead_console_${url.port}=${value}; key=${value}` },
      'a bearer': { authorization: `Bearer ${value}` },
      'another host': { ...key, host: 'evil.example' },
      'another port': { ...key, host: '127.0.0.1:1' },
      'another origin': { ...key, origin: 'http://evil.example' },
      'an origin that is hidden': { ...key, origin: 'null' },
      'another site': { ...key, 'sec-fetch-site': 'cross-site' },
      'another port of this machine': { ...key, 'sec-fetch-site': 'same-site' },
    };
    const count = upstream.requests.length;
    for (const [name, headers] of Object.entries(refused)) {
      const { status, body } = await ask(`${url.origin}/resources/`, { headers });
      expect([403, 421], name).toContain(status);
      expect(JSON.parse(body), name).toMatchObject({ detail: /\w/, help: /\w/ });
    }
    expect(upstream.requests.length).toBe(count);
    for (const path of ['//evil.example/', '/console/../../secret', '/%2e%2e/secret', '/a/./b']) {
      const reply = await rawAsk(url, path, value);
      expect(reply, path).toMatch(/^HTTP\/1.1 404 /);
    }
    expect(upstream.requests.length).toBe(count);
    const page = await ask(`${url.origin}/resources/`, { headers: { accept: 'text/html' } });
    expect(page.body).toContain('fairlead console');
    expect((await ask(`${url.origin}/resources/`, { headers: key })).status).toBe(200);
  });

  it('gives the files of the console to everybody, without the token', async () => {
    const url = await start();
    const navigated = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    for (const headers of [{}, navigated]) {
      expect((await ask(`${url.origin}/console/`, { headers })).status).toBe(200);
      expect(upstream.requests.at(-1)?.headers).not.toHaveProperty('authorization');
    }
    const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    const script = await ask(`${url.origin}/console/console-A1.js`, { headers: embedded });
    expect(script.status).toBe(403);
    for (const path of ['/console/a/b', '/console/..%2fresources', '/resources/']) {
      const reply = await ask(`${url.origin}${path}`, { headers: navigated });
      expect(reply.status, path).toBe(403);
    }
  });

  it('[C04] ends when its address is opened a second time', async () => {
    const url = await start();
    const guess = await ask(url.href, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    expect(guess.status).toBe(403);
    await open(url);
    const again = await ask(url.href, { headers: { accept: 'text/html' } });
    expect(again.status).toBe(403);
    expect(again.body).toContain('the console has ended');
    expect(await ended).toBe(4);
    expect(sinks.stderr.text).toContain('was opened a second time');
    await expect(ask(url.origin)).rejects.toThrow('ECONNREFUSED');
  });

  it('[C04] opens the browser with a file of its user alone, and removes it', async () => {
    const home = newHome();
    const opener = join(home, 'opener');
    const script = `#!/bin/sh\nprintf '%s' "$*" > ${home}/arguments.new\nmv ${home}/arguments.new ${home}/arguments\n`;
    writeFileSync(opener, script, { mode: 0o755 });
    const PATH = process.env['PATH'] ?? '';
    const variables = { FAIRLEAD_URL: upstream.url, FAIRLEAD_TOKEN: token, BROWSER: opener, PATH };
    const output = new Buffered();
    const environment = clientEnvironment({ variables, home }, { ...sinks, stdout: output });
    ended = run(['console'], environment, stop.signal);
    const given = await eventually(() => readFileSync(join(home, 'arguments'), 'utf8'));
    const path = fileURLToPath(given);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const page = readFileSync(path, 'utf8');
    const [, address = ''] = /content="0; url=(http:[^"]+)"/.exec(page) ?? [];
    expect(given).not.toContain(new URL(address).pathname.slice(1));
    // The standard output is no terminal: the address would be in a log.
    expect(output.text).toBe('');
    const key = await open(new URL(address));
    await eventually(() => expect(existsSync(dirname(path))).toBe(false));
    const { origin } = new URL(address);
    expect((await ask(`${origin}/resources/`, { headers: key })).status).toBe(200);
  });

  it('passes a stream on as it comes, and ends it when the browser goes', async () => {
    const url = await start();
    const key = await open(url);
    const leaving = new AbortController();
    const { signal } = leaving;
    const answer = await fetch(`${url.origin}/stream`, { headers: key, signal });
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: first\n\n');
    upstream.stream?.write('data: second\n\n');
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: second\n\n');
    const closed = new Promise((resolve) => upstream.stream?.once('close', resolve));
    leaving.abort();
    await closed;
  });

  it('says when the API is away, ends with Ctrl-C, and leaves no listener', async () => {
    const url = await start();
    const key = await open(url);
    const { url: away } = upstream;
    upstream.close();
    const reply = await ask(`${url.origin}/resources/`, { headers: key });
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.body).detail).toContain(away);
    stop.abort();
    expect(await ended).toBe(0);
    await expect(ask(url.origin)).rejects.toThrow('ECONNREFUSED');
  });

  it('refuses a body that is too long', async () => {
    const url = await start();
    const key = await open(url);
    const body = 'x'.repeat(1_048_577);
    const reply = await ask(`${url.origin}/resources/apply`, {
      method: 'POST',
      headers: key,
      body,
    });
    expect(reply.status).toBe(413);
  });

  it('explains why it does not start', async () => {
    ended = Promise.resolve(0);
    const variables = { FAIRLEAD_URL: upstream.url, FAIRLEAD_TOKEN: token };
    const options = { variables, signal: stop.signal };
    const port = await runClient(['console', '--port', '70000'], { variables: {} });
    expect(port).toMatchObject({ code: 2, stderr: expect.stringContaining('The port must be') });
    const taken = new URL(upstream.url).port;
    const busy = await runClient(['console', '--no-browser', '--port', taken], options);
    expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining('is not free') });
    upstream.hasConsole = false;
    const missing = await runClient(['console'], options);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no console') });
    upstream.refuses = true;
    const refused = await runClient(['console'], options);
    expect(refused.code).toBe(4);
  });
});

/** A path that clients would normalize. */
async function rawAsk(url: URL, path: string, key: string): Promise<string> {
  const { connect } = await import('node:net');
  const socket = connect(Number(url.port), url.hostname);
  socket.end(
    `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nFairlead-Console-Key: ${key}\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}
