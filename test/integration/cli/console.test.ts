// `fairlead console`: who may use the pages on loopback, and what passes between browser, command line and API.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { Buffered, clientEnvironment, runClient } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';

const token = 'the-token-of-the-login';
const me = {
  organization_id: 'acme',
  organization_name: null,
  subject: 'ada',
  display: 'Ada',
  role: 'admin',
  project_id: null,
};

/** What an API would see; no real one shows its requests. */
class Upstream {
  readonly requests: {
    method: string;
    url: string;
    headers: IncomingMessage['headers'];
    body: string;
  }[] = [];
  hasConsole = true;
  refuses = false;
  stream: ServerResponse | undefined;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    let body = '';
    for await (const part of request) body += String(part);
    this.requests.push({ method, url, headers, body });
    if (url === '/auth/me')
      return json(
        response,
        this.refuses ? 401 : 200,
        this.refuses ? { detail: 'Not authenticated', code: 'unauthenticated' } : me,
      );
    if (url === '/console' && !this.hasConsole) {
      return json(response, 404, { detail: 'Not Found', code: 'not_found' });
    }
    if (url === '/stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      this.stream = response;
      return;
    }
    response.setHeader('set-cookie', 'session=of-the-api');
    response.setHeader('etag', '"7"');
    json(response, 200, { url });
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

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

  /** Opens the address as a browser does. @returns its cookie */
  async function open(url: URL): Promise<string> {
    const opened = await ask(url.href);
    expect(opened.status).toBe(303);
    expect(opened.headers.location).toBe('/console/');
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^fairlead_console_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    return cookie.split(';', 1)[0] ?? '';
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
    const cookie = await open(url);
    const headers = {
      cookie: `${cookie}; other=of-another-program`,
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
    for (const name of ['cookie', 'origin', 'x-forwarded-for']) {
      expect(received).not.toHaveProperty(name);
    }
    const settings = await ask(`${url.origin}/console/settings.json`, { headers: { cookie } });
    expect(JSON.parse(settings.body)).toEqual({ signIn: null, commandLine: true });
  });

  it('lets in the browser that opened the address, once, and no other', async () => {
    const url = await start();
    const before = await ask(`${url.origin}/resources/`);
    expect(before.status).toBe(403);
    const cookie = await open(url);
    const again = await ask(url.href);
    expect(again.status).toBe(403);
    expect(again.headers).not.toHaveProperty('set-cookie');
    const forged = `${cookie.split('=', 1)[0]}=${'A'.repeat(43)}`;
    const refused: Record<string, Record<string, string>> = {
      'no cookie': {},
      'another cookie': { cookie: forged },
      'another host': { cookie, host: 'evil.example' },
      'another port': { cookie, host: '127.0.0.1:1' },
      'another origin': { cookie, origin: 'http://evil.example' },
      'an origin that is hidden': { cookie, origin: 'null' },
      'another site': { cookie, 'sec-fetch-site': 'cross-site' },
      'another port of this machine': { cookie, 'sec-fetch-site': 'same-site' },
    };
    const count = upstream.requests.length;
    for (const [name, headers] of Object.entries(refused)) {
      const { status, body } = await ask(`${url.origin}/resources/`, { headers });
      expect([403, 421], name).toContain(status);
      expect(JSON.parse(body), name).toMatchObject({ detail: /\w/, help: /\w/ });
    }
    expect(upstream.requests.length).toBe(count);
    for (const path of ['//evil.example/', '/console/../../secret', '/%2e%2e/secret', '/a/./b']) {
      const reply = await rawAsk(url, path, cookie);
      expect(reply, path).toMatch(/^HTTP\/1.1 404 /);
    }
    expect(upstream.requests.length).toBe(count);
    const page = await ask(url.origin, { headers: { accept: 'text/html' } });
    expect(page.body).toContain('fairlead console');
    expect((await ask(`${url.origin}/resources/`, { headers: { cookie } })).status).toBe(200);
  });

  it('passes a stream on as it comes, and ends it when the browser goes', async () => {
    const url = await start();
    const cookie = await open(url);
    const leaving = new AbortController();
    const { signal } = leaving;
    const answer = await fetch(`${url.origin}/stream`, { headers: { cookie }, signal });
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
    const cookie = await open(url);
    const { url: away } = upstream;
    upstream.close();
    const reply = await ask(`${url.origin}/resources/`, { headers: { cookie } });
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.body).detail).toContain(away);
    stop.abort();
    expect(await ended).toBe(0);
    await expect(ask(url.origin)).rejects.toThrow('ECONNREFUSED');
  });

  it('refuses a body that is too long', async () => {
    const url = await start();
    const cookie = await open(url);
    const body = 'x'.repeat(1_048_577);
    const reply = await ask(`${url.origin}/resources/apply`, {
      method: 'POST',
      headers: { cookie },
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
    const older = await runClient(['console'], options);
    expect(older).toMatchObject({ code: 2, stderr: expect.stringContaining('has no console') });
    upstream.refuses = true;
    const refused = await runClient(['console'], options);
    expect(refused.code).toBe(4);
  });
});

/** A path that clients would normalize. */
async function rawAsk(url: URL, path: string, cookie: string): Promise<string> {
  const { connect } = await import('node:net');
  const socket = connect(Number(url.port), url.hostname);
  socket.end(
    `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
  );
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}
