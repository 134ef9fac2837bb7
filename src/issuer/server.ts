// Serves the development issuer on loopback: the OpenID provider and its login page.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { crossOriginRefusal, loopbackHosts } from '../domain/cross-origin.ts';
import type { Log } from '../domain/log.ts';
import { readBounded } from '../domain/read-bounded.ts';
import { identityFrom, issuerUrl, subjectOf } from './identity.ts';
import { keepSigningKey } from './keys.ts';
import { loginPage, messagePage, pageHeaders } from './page.ts';
import { createProvider } from './provider.ts';

export interface DevIssuer {
  /** Equals the `iss` claim. */
  readonly issuer: string;
  close(): Promise<void>;
}

export interface DevIssuerOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly log: Log;
}

const formLimitBytes = 8_192;

export async function startIssuer({ dataFolder, port, log }: DevIssuerOptions): Promise<DevIssuer> {
  const issuer = issuerUrl(port);
  const provider = createProvider(issuer, await keepSigningKey(dataFolder));
  const standard = provider.callback();
  const server = createServer((req, res) => {
    answer(req, res, { provider, standard }).catch((thrown: unknown) => {
      log.warn({ error: thrown }, 'Answering a request to the issuer failed');
      if (!res.headersSent) send(res, 400, messagePage('Sign-in failed', 'Try again.'));
      else res.destroy();
    });
  });
  await listening(server, port);
  return { issuer, close: () => closed(server) };
}

interface Context {
  readonly provider: Provider;
  readonly standard: ReturnType<Provider['callback']>;
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { provider, standard }: Context,
): Promise<void> {
  const refusal = crossOriginRefusal(req.headers, loopbackHosts);
  if (refusal !== undefined) {
    return send(
      res,
      Number.parseInt(refusal.status, 10),
      messagePage('Request rejected', refusal.detail),
    );
  }
  const path = (req.url ?? '/').split('?')[0] ?? '/';
  if (/^\/interaction\/[A-Za-z0-9_-]+$/.test(path)) return interact(req, res, { provider, path });
  if (path === '/') {
    const text = 'Print a token with: npm run --silent token -- --org acme --role editor';
    return send(res, 200, messagePage('Fairlead development issuer', text));
  }
  await standard(req, res);
}

async function interact(
  req: IncomingMessage,
  res: ServerResponse,
  { provider, path }: { provider: Provider; path: string },
): Promise<void> {
  // Rejects an interaction of another browser: its cookie must be present.
  await provider.interactionDetails(req, res);
  if (req.method !== 'POST') return send(res, 200, loginPage(path));
  const form = await readForm(req);
  const identity = identityFrom({
    organization: form.get('organization') ?? '',
    role: form.get('role') ?? '',
    project: form.get('project') ?? '',
  });
  if (typeof identity === 'string') return send(res, 422, loginPage(path, identity));
  const login = { accountId: subjectOf(identity) };
  await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
}

async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const tooLarge = () => new TypeError('The form is too large');
  return new URLSearchParams((await readBounded(req, formLimitBytes, tooLarge)).toString());
}

function send(res: ServerResponse, status: number, page: string): void {
  res.writeHead(status, pageHeaders).end(page);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
