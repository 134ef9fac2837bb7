// Serves the few endpoints that a login needs, beside a real issuer: where to sign in, and who the caller is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DevelopmentIssuer } from '../servers/issuers/development-issuer.ts';
import { sendJson } from '../servers/issuers/loopback-issuer.ts';

export interface ClientApi {
  readonly url: string;
  /** Changes the published metadata. */
  metadata: Record<string, unknown>;
  /** Refuses every token. */
  refuses: boolean;
  close(): void;
}

export async function startClientApi(issuer: DevelopmentIssuer): Promise<ClientApi> {
  const authenticator = issuer.authenticator();
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { issuer: issuer.url, client_id: 'fairlead-cli', scope: 'openid offline_access' };
  const api: ClientApi = {
    url,
    metadata: {
      resource: url,
      fairlead_version: '0.1.0',
      fairlead_clients: [{ ...client, parameters: {}, token: 'access_token' }],
    },
    refuses: false,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/.well-known/oauth-protected-resource')
      return sendJson(response, api.metadata);
    if (request.url === '/health') return sendJson(response, { status: 'ok' });
    const caller = api.refuses ? undefined : await callerOf(request);
    if (caller !== undefined) return sendJson(response, caller);
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ detail: 'Not authenticated', code: 'unauthenticated' }));
  }

  async function callerOf({ headers }: IncomingMessage) {
    const authenticated = authenticator.authenticate(headers.authorization);
    const caller = await authenticated.catch(() => undefined);
    if (caller === undefined) return undefined;
    const { organization, subject, role } = caller;
    return {
      organization_id: organization.id,
      organization_name: null,
      issuer: organization.issuer,
      subject,
      user_id: subject,
      email: null,
      role,
      project_id: null,
      namespace: organization.namespace,
      limits: { resources: 1000, resource_bytes: 1_000_000 },
      usage: { resources: 0, resource_bytes: 0 },
    };
  }

  return api;
}
