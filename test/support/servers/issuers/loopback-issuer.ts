// Runs a real issuer on loopback: discovery, keys, and tokens of any shape. It counts requests, and fails on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { IssuerSettings } from '../../../../src/http/auth/authenticate.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import { systemClock } from '../../../../src/lib/clock.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function signingKey(kid: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { kid, privateKey, publicJwk };
}

type Respond = (req: IncomingMessage, res: ServerResponse) => void;

export interface Signing {
  readonly key?: SigningKey;
  readonly algorithm?: string;
  readonly kid?: string;
  /** `typ` of the header. */
  readonly type?: string;
  /** Replaces or extends the header; undefined omits a field. */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface LoopbackIssuer {
  readonly url: string;
  readonly settings: IssuerSettings;
  readonly key: SigningKey;
  /** The keys of the JWKS; the test may change it. */
  published: JWK[];
  /** Replaces both documents until it is removed again. */
  respond: Respond | undefined;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** @param claims beside, or instead of, those of a good token of an admin of `acme`; undefined leaves one out */
  token(claims?: Record<string, unknown>, signing?: Signing): Promise<string>;
  close(): Promise<void>;
}

export const keysPath = '/keys';
const discoveryPath = '/.well-known/openid-configuration';

/** @param clock by which its tokens are issued and expire */
export async function startLoopbackIssuer(clock: Clock = systemClock): Promise<LoopbackIssuer> {
  const key = await signingKey('first');
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    if (issuer.respond !== undefined) issuer.respond(req, res);
    else if (req.url === discoveryPath) sendJson(res, { issuer: url, jwks_uri: url + keysPath });
    else if (req.url === keysPath) sendJson(res, { keys: issuer.published });
    else res.writeHead(404).end();
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: LoopbackIssuer = {
    url,
    key,
    asked,
    published: [key.publicJwk],
    respond: undefined,
    settings: {
      issuer: url,
      audience: 'fairlead',
      algorithms: ['ES256', 'RS256'],
      organizationClaim: 'org_id',
      rolesClaim: 'roles',
      platform: true,
    },
    token: (claims = {}, signing = {}) => {
      const now = Math.floor(clock.now().getTime() / 1_000);
      const good = { iss: url, aud: 'fairlead', sub: 'ada', org_id: 'acme', roles: ['admin'] };
      return sign({ ...good, iat: now, exp: now + 3_600, ...claims }, { key, ...signing });
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return issuer;
}

function sign(
  claims: Record<string, unknown>,
  {
    key,
    algorithm = 'ES256',
    kid = key.kid,
    type = 'at+jwt',
    header = {},
  }: Signing & { key: SigningKey },
): Promise<string> {
  const present = Object.entries(claims).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(present) as JWTPayload)
    .setProtectedHeader({ alg: algorithm, kid, typ: type, ...header })
    .sign(key.privateKey);
}

export function sendJson(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
