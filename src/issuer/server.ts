// Serves the development issuer on loopback: the OpenID provider and its sign-in page.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import { crossOriginRefusal, loopbackHosts } from '../domain/cross-origin.ts';
import type { Log } from '../lib/log.ts';
import { readBounded } from '../lib/read-bounded.ts';
import { originsOn } from './clients.ts';
import { identityFrom, issuerUrl, subjectClaim } from './identity.ts';
import { keepSigningKey } from './keys.ts';
import { messagePage, type Page, pageHeaders } from './pages/frame.ts';
import { indexPage } from './pages/index.ts';
import { signInPage } from './pages/sign-in.ts';
import { createProvider } from './provider.ts';
import { errorPage } from './rendering.ts';

interface DevIssuer {
  /** Equals the `iss` claim. */
  readonly issuer: string;
  close(): Promise<void>;
}

interface DevIssuerOptions {
  readonly dataFolder: string;
  readonly port: number;
  /** The port of the API, which serves the console; without it, there is no client for the console. */
  readonly apiPort?: number;
  readonly log: Log;
}

/** Starts the issuer. It must be closed. @throws StartError when its key is unusable, and the error of a port in use */
export async function startIssuer(options: DevIssuerOptions): Promise<DevIssuer> {
  const { dataFolder, port, apiPort, log } = options;
  const issuer = issuerUrl(port);
  const consoleOrigins = apiPort === undefined ? [] : originsOn(apiPort);
  const key = await keepSigningKey(dataFolder);
  const provider = createProvider({ issuer, key, consoleOrigins });
  provider.on('server_error', (_context, error: unknown) => {
    log.warn({ error }, 'Answering a request to the issuer failed');
  });
  const context = { provider, standard: provider.callback(), consoleOrigins };
  const server = createServer((req, res) => {
    serveIssuer(req, res, context).catch((thrown: unknown) => {
      const page = pageOfError(thrown);
      if (page.status >= 500)
        log.warn({ error: thrown }, 'Answering a request to the issuer failed');
      if (!res.headersSent) sendPage(res, page);
      else res.destroy();
    });
  });
  await listening(server, port);
  return { issuer, close: () => closed(server) };
}

interface IssuerContext {
  readonly provider: Provider;
  readonly standard: ReturnType<Provider['callback']>;
  readonly consoleOrigins: readonly string[];
}

/** Paths that the console calls from its own origin; the library checks the origin against the client once more. */
const callable = /^\/(?:token(?:\/revocation)?|jwks|\.well-known\/[a-z-]+)$/;

async function serveIssuer(
  req: IncomingMessage,
  res: ServerResponse,
  { provider, standard, consoleOrigins }: IssuerContext,
): Promise<void> {
  const path = (req.url ?? '/').split('?')[0] ?? '/';
  const { host, origin = '' } = req.headers;
  const fromConsole = callable.test(path) && consoleOrigins.includes(origin);
  const refusal = crossOriginRefusal(fromConsole ? { host } : req.headers, loopbackHosts);
  if (refusal !== undefined) {
    const status = Number.parseInt(refusal.status, 10);
    return sendPage(res, messagePage(status, 'Request rejected', refusal.detail));
  }
  if (path.startsWith('/interaction/'))
    return interact(req, res, { provider, path, send: sendPage });
  if (path === '/') return sendPage(res, indexPage());
  await standard(req, res);
}

function pageOfError(thrown: unknown): Page {
  if (thrown instanceof errors.SessionNotFound) {
    return errorPage(400, { error: 'session_not_found' });
  }
  return errorPage(500, { error: 'server_error' });
}

function sendPage(res: ServerResponse, { status, body }: Page): void {
  res.writeHead(status, pageHeaders).end(body);
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

// Answers the sign-in page: shows the form, and ends the interaction with the identity that was chosen.

const formLimitBytes = 8_192;

class FormTooLarge extends Error {}

/** Handles one request to the sign-in page. @throws SessionNotFound when this browser has no such interaction */
async function interact(
  req: IncomingMessage,
  res: ServerResponse,
  {
    provider,
    path,
    send,
  }: { provider: Provider; path: string; send(res: ServerResponse, page: Page): void },
): Promise<void> {
  // Rejects an interaction of another browser: its cookie must be present.
  const interaction = await provider.interactionDetails(req, res);
  const client = await clientNameOf(provider, interaction.params['client_id']);
  if (req.method !== 'POST') return send(res, signInPage({ action: path, client }));
  const form = await readForm(req);
  if (form === undefined) return send(res, formTooLarge(path));
  const field = (name: string) => form.get(name) ?? '';
  if (form.has('cancel')) {
    const denied = { error: 'access_denied', error_description: 'the sign-in was cancelled' };
    return provider.interactionFinished(req, res, denied, { mergeWithLastSubmission: false });
  }
  const choice = {
    organization: field('organization'),
    role: field('role'),
    project: field('project'),
  };
  const identity = identityFrom(choice);
  if ('field' in identity) {
    return send(res, signInPage({ action: path, client, choice, invalid: identity }));
  }
  const accountId = subjectClaim(identity);
  await leaveSession(provider, interaction, accountId);
  const login = { accountId };
  await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false });
}

/**
 * Ends the session of another identity. The library would do it with a page that submits itself by script, and would
 * revoke the grants of that identity: the logins of other contexts of the command line.
 */
async function leaveSession(
  provider: Provider,
  interaction: Awaited<ReturnType<Provider['interactionDetails']>>,
  accountId: string,
): Promise<void> {
  const { session } = interaction;
  if (session === undefined || session.accountId === accountId) return;
  const stored = await provider.Session.findByUid(session.uid);
  await stored?.destroy();
  interaction.session = undefined;
  await interaction.persist();
}

async function clientNameOf(provider: Provider, id: unknown): Promise<string> {
  const client = await provider.Client.find(String(id));
  return client?.clientName ?? String(id);
}

/** @returns undefined when the form is too large */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  try {
    const bytes = await readBounded(req, formLimitBytes, () => new FormTooLarge());
    return new URLSearchParams(bytes.toString());
  } catch (thrown) {
    if (thrown instanceof FormTooLarge) return undefined;
    throw thrown;
  }
}

function formTooLarge(path: string): Page {
  const text = `The form has more than ${formLimitBytes} bytes. Open ${path} again and shorten the values.`;
  return messagePage(413, 'Sign-in failed', text);
}
