// Listens on loopback for the answer of an issuer to a sign-in (RFC 8252). It answers one path, only under its own name, and
// takes only the answer to this sign-in.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallbackPage, htmlOf, rejected, signedIn, unexpected } from './callback-page.ts';

export interface Callback {
  /** The literal address, as RFC 8252 wants: names may be resolved by others. */
  readonly redirectUri: string;
  /** The address with the answer, once the browser opened it. */
  readonly answered: Promise<URL>;
  close(): void;
}

const path = '/callback';

/** @param state of the sign-in: answers with another are refused, and the listener waits on */
export async function listenForCallback(state: string): Promise<Callback> {
  const { createServer } = process.getBuiltinModule('node:http');
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = answerIn(request, originOf(server), state);
    if (typeof url === 'number') return show(response, unexpected(url));
    // The command continues once the page is sent.
    response.once('close', () => resolve(url));
    show(response, url.searchParams.has('error') ? rejected : signedIn);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  return {
    redirectUri: `${originOf(server)}${path}`,
    answered: promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @returns the address with the answer, or the status of a refusal */
function answerIn({ method, url = '', headers }: IncomingMessage, origin: string, state: string) {
  // A page of the web could reach the listener under a name of its own (DNS rebinding).
  if (`http://${headers.host}` !== origin) return 421;
  const target = new URL(url, origin);
  if (target.pathname !== path) return 404;
  if (method !== 'GET') return 405;
  return isAnswerTo(target, state) ? target : 400;
}

/** @returns whether an address answers the sign-in with this state */
export function isAnswerTo({ searchParams }: URL, state: string): boolean {
  const [given, expected] = [searchParams.get('state') ?? '', state].map((text) =>
    Buffer.from(text),
  );
  return (
    given !== undefined &&
    expected !== undefined &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  );
}

function show(response: ServerResponse, page: CallbackPage): void {
  response.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(htmlOf(page));
}
