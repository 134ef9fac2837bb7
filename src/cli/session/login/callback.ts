// Listens on loopback for the answer of an issuer to a sign-in (RFC 8252). It answers one path, only under its own name, and
// takes only the answer to this sign-in.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
    const url = answerIn(request, callbackOrigin(server), state);
    if (typeof url === 'number') return respondWith(response, unexpectedSignIn(url));
    // The command continues once the page is sent.
    response.once('close', () => resolve(url));
    respondWith(response, url.searchParams.has('error') ? rejected : signedIn);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  return {
    redirectUri: `${callbackOrigin(server)}${path}`,
    answered: promise,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function callbackOrigin(server: Server): string {
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

function respondWith(response: ServerResponse, page: CallbackPage): void {
  response.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(htmlOf(page));
}

// The page at which a sign-in in the browser ends: plain HTML without a script, in the style of the development issuer.

interface CallbackPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const signedIn: CallbackPage = {
  status: 200,
  title: 'You are signed in',
  text: 'Go on in the terminal. You can close this window.',
};

const rejected: CallbackPage = {
  status: 200,
  title: 'You are not signed in',
  text: 'The terminal shows the reason. You can close this window.',
};

/** @param status of a request that is not the answer to the sign-in */
function unexpectedSignIn(status: number): CallbackPage {
  const text = 'The command line waits for another sign-in. Run fairlead login again.';
  return { status, title: 'Unexpected sign-in', text };
}

function htmlOf({ title, text }: CallbackPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} – Fairlead</title>
<style>
:root { color-scheme: light dark; font: 100% / 1.5 system-ui, sans-serif }
body { max-width: 28rem; margin: 0 auto; padding: clamp(1rem, 9vh, 6rem) 1rem; background: light-dark(#eef2f4, #0d1317); color: light-dark(#15212b, #e4ebf0) }
header { margin-bottom: .75rem; font-size: 1.125rem; font-weight: 650 }
main { padding: clamp(1.25rem, 5vw, 2rem); border: 1px solid light-dark(#d5dde3, #2a3842); border-radius: .75rem; background: light-dark(#fff, #161f26) }
h1 { margin: 0; font-size: 1.375rem }
p { margin: .5rem 0 0 }
</style>
<header>Fairlead</header>
<main><h1>${title}</h1><p>${text}</p></main>
</html>
`;
}
