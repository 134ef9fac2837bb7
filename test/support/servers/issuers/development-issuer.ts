// Starts the development issuer for a test, with what a client of it does: build addresses, exchange, poll, revoke.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Authenticator,
  createAuthenticator,
  type IssuerSettings,
} from '../../../../src/http/auth/authenticate.ts';
import { clientId } from '../../../../src/issuer/identity.ts';
import { algorithm } from '../../../../src/issuer/keys.ts';
import { startIssuer } from '../../../../src/issuer/server.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import type { Visit } from '../../clients/browser.ts';
import { freePort } from '../../runner/free-port.ts';

export const callback = 'http://127.0.0.1:7777/callback';
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly error?: string;
  readonly error_description?: string;
}

export interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

export interface AuthorizationRequest {
  readonly url: string;
  readonly verifier: string;
}

/** Starts an issuer in a folder of its own. It must be closed. */
export async function developmentIssuer() {
  const dataFolder = await mkdtemp(join(tmpdir(), 'fairlead-issuer-'));
  const port = await freePort();
  const apiPort = await freePort();
  let running = await startIssuer({ dataFolder, port, apiPort, log: silentLog });
  const url = running.issuer;

  async function post(path: string, parameters: Record<string, string>) {
    const body = new URLSearchParams({ client_id: clientId, ...parameters });
    return await fetch(`${url}${path}`, { method: 'POST', body });
  }

  async function token(parameters: Record<string, string>): Promise<Tokens> {
    return (await (await post('/token', parameters)).json()) as Tokens;
  }

  return {
    dataFolder,
    port,
    apiPort,
    url,
    post,
    token,
    /** Returns what a login of the command line opens in the browser; parameters replace those of the client. */
    authorize(parameters: Record<string, string> = {}): AuthorizationRequest {
      const verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: callback,
        scope: 'openid offline_access',
        state: 's',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...parameters,
      });
      return { url: `${url}/auth?${query.toString()}`, verifier };
    },
    /** Exchanges the code with which a browser came back. */
    async exchange(visit: Visit, verifier: string, parameters: Record<string, string> = {}) {
      const code = visit.url.searchParams.get('code') ?? '';
      const own = { grant_type: 'authorization_code', code, redirect_uri: callback };
      return await token({ ...own, code_verifier: verifier, ...parameters });
    },
    async refresh(refresh_token: string | undefined): Promise<Tokens> {
      return await token({ grant_type: 'refresh_token', refresh_token: refresh_token ?? '' });
    },
    async startDevice(): Promise<Device> {
      return (await (await post('/device/auth', { scope: 'openid' })).json()) as Device;
    },
    async poll({ device_code }: Device): Promise<Tokens> {
      return await token({ grant_type: deviceGrant, device_code });
    },
    authenticator: () => authenticatorOf(url),
    async restart(): Promise<void> {
      await running.close();
      running = await startIssuer({ dataFolder, port, apiPort, log: silentLog });
    },
    async close(): Promise<void> {
      await running.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

export type DevelopmentIssuer = Awaited<ReturnType<typeof developmentIssuer>>;

/** Returns an authenticator that trusts the issuer as `npm start` does. */
function authenticatorOf(issuer: string): Authenticator {
  const settings: IssuerSettings = {
    issuer,
    audience: 'fairlead',
    algorithms: [algorithm],
    organizationClaim: 'org_id',
    rolesClaim: 'roles',
    platform: true,
  };
  return createAuthenticator({ issuers: [settings], clock: systemClock, log: silentLog });
}
