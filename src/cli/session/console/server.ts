// Serves the console of an API on loopback, and passes its requests on with the login of the command line. The browser never sees
// the token.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapedHtml } from '../../../lib/text.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Api } from '../api/client.ts';
import type { HttpAnswer } from '../api/transport.ts';
import {
  type ConsoleSession,
  createConsoleSession,
  foreignOf,
  openedAgain,
  wrongHostOf,
} from './session.ts';

interface ConsoleServer {
  /** Works once: it makes the tab that opens it the one that may use the console. */
  readonly url: URL;
  /** Resolves when a browser has opened the address. */
  readonly opened: Promise<void>;
  /** Resolves when it was opened again: one of the two is not the browser of the person. */
  readonly openedAgain: Promise<void>;
  close(): void;
}

/** The settings that the page reads before it shows anything: nobody has to sign in. */
const settings = { signIn: null, commandLine: true };

/** As the API bounds it; provider code is pushed with the command line. */
const maxBodyBytes = 1_048_576;

/** `Prefer: wait` waits for a minute at most. */
const answerTimeoutMs = 90_000;

/** Others belong to the connection, or would hand over what the browser has for other servers on this machine. */
const passedOn = [
  ...['accept', 'accept-encoding', 'content-type', 'if-match', 'if-none-match'],
  ...['last-event-id', 'prefer'],
];

/** Headers of the connection between this program and the API (RFC 9110, section 7.6.1), or of the site of the API. */
const notPassedBack = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'te'],
  ...['set-cookie', 'strict-transport-security', 'www-authenticate'],
]);

/** @throws CliError when the port is taken */
export async function startConsole(api: Api, wanted: number): Promise<ConsoleServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const session = createConsoleSession();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [opened, reopened] = [first.resolve, second.resolve];
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    handle({ api, session, port, opened, reopened }, request, response).catch((thrown: unknown) => {
      if (response.headersSent) response.destroy();
      else sendError(request, response, answerFailure(thrown));
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', () => {
      failed(usageError(`The port ${wanted} of 127.0.0.1 is not free.`, 'fairlead console'));
    });
    server.listen(wanted, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(session.path, `http://127.0.0.1:${port}`),
    opened: first.promise,
    openedAgain: second.promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface ConsoleServing {
  readonly api: Api;
  readonly session: ConsoleSession;
  readonly port: number;
  readonly opened: () => void;
  readonly reopened: () => void;
}

async function handle(
  serving: ConsoleServing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { api, session, port } = serving;
  const { method = 'GET', url: path = '/', headers } = request;
  const wrongHost = wrongHostOf(headers, port);
  if (wrongHost !== undefined) return sendError(request, response, wrongHost);
  const redeemed = method === 'GET' ? session.redeem(path, headers) : undefined;
  if (redeemed !== undefined) return openPage(serving, redeemed, { request, response });
  if (method === 'GET' && path === '/') return redirect(response, '/console/');
  const isFile = method === 'GET' && isConsoleFile(path);
  const refusal = consoleRefusal(headers, isFile ? undefined : session);
  if (refusal !== undefined) return sendError(request, response, refusal);
  if (path === '/console/settings.json') return sendData(response, settings);
  if (!isLocalPath(path)) return sendError(request, response, { status: 404, detail: 'Not Found' });
  await passOn(api, { request, response, isPublic: isFile });
}

interface ConsoleExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function openPage(
  { opened, reopened }: ConsoleServing,
  redeemed: { readonly key: string } | 'again',
  { request, response }: ConsoleExchange,
): void {
  if (redeemed === 'again') {
    response.once('close', reopened);
    sendError(request, response, openedAgain);
  } else {
    opened();
    // Browsers do not send a fragment to a server.
    redirect(response, `/console/#key=${redeemed.key}`);
  }
}

/** @param session for what needs the key: the files of the console are the same for everybody */
function consoleRefusal(headers: IncomingHttpHeaders, session: ConsoleSession | undefined) {
  // The file that leads a browser here is a page of another site.
  const isOpening = session === undefined && headers['sec-fetch-mode'] === 'navigate';
  return (isOpening ? undefined : foreignOf(headers)) ?? session?.refusalOf(headers);
}

function isConsoleFile(path: string): boolean {
  return /^\/console(?:\/[\w.-]*)?(?:\?|$)/.test(path);
}

function redirect(response: ServerResponse, location: string): void {
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  response.writeHead(303, { location, ...headers }).end();
}

/** @returns false for a path that means another one: the address of the API may have a path of its own, which it must not leave */
function isLocalPath(path: string): boolean {
  const [name = ''] = path.split('?', 1);
  return /^\/(?!\/)/.test(path) && new URL(path, 'http://api.invalid').pathname === name;
}

async function passOn(
  api: Api,
  { request, response, isPublic }: ConsoleExchange & { readonly isPublic: boolean },
): Promise<void> {
  const { method = 'GET', url: path = '/' } = request;
  const body = await readRequestBody(request);
  if (body === undefined) {
    const detail = `The body may have ${maxBodyBytes} bytes at most`;
    return sendError(request, response, { status: 413, detail });
  }
  const closed = new AbortController();
  response.once('close', () => closed.abort(new Error('The browser has closed the connection')));
  const { signal } = closed;
  const headers = picked(request.headers);
  const sent = { method, path, headers, answerTimeoutMs, signal, isRepeatable: false, isPublic };
  const answered = await api.pass(body.length === 0 ? sent : { ...sent, body });
  await sendBack(answered, response);
}

/** @returns undefined when it is too long */
async function readRequestBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function picked(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}

async function sendBack(
  { status, headers, body }: HttpAnswer,
  response: ServerResponse,
): Promise<void> {
  const { pipeline } = process.getBuiltinModule('node:stream/promises');
  const kept = Object.entries(headers).filter(([name]) => !notPassedBack.has(name));
  response.writeHead(status, Object.fromEntries(kept));
  // An event stream is quiet at first.
  response.flushHeaders();
  await pipeline(body, response);
}

// The answers of the server on loopback itself: refusals and failures, as a page for people or in the shape of the API.

interface PageFailure {
  readonly status: number;
  readonly detail: string;
  readonly help?: string | undefined;
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers with JSON, or with a page when the browser opens an address. */
function sendError(request: IncomingMessage, response: ServerResponse, failure: PageFailure): void {
  const { status, detail, help } = failure;
  const isPage = request.headers.accept?.includes('text/html') === true;
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { ...headers, 'content-type': type });
  response.end(isPage ? pageOf(failure) : JSON.stringify({ detail, ...(help && { help }) }));
}

function sendData(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** @returns the failure of a request that did not reach the API, or was not signed in */
function answerFailure(thrown: unknown): PageFailure {
  if (!(thrown instanceof CliError)) return { status: 502, detail: 'The API does not answer' };
  const status = thrown.exit === ExitCode.notAllowed ? 401 : 502;
  return { status, detail: thrown.message, help: thrown.next };
}

function pageOf({ detail, help = '' }: PageFailure): string {
  const [title, advice] = [detail, help].map(escapedHtml);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Fairlead</title><h1>${title}</h1><p>${advice}</p></html>`;
}
