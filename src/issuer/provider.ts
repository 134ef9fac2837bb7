// Implements the OpenID provider: authorization code with PKCE for programs on this machine, access tokens as JWTs.
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type Adapter,
  type AdapterPayload,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { loopbackHosts } from '../domain/cross-origin.ts';
import { systemClock } from '../lib/clock.ts';
import { commandLine, consoleOf } from './clients.ts';
import {
  addInterval,
  deviceCodeSeconds,
  deviceFlow,
  pacePoll,
  showCodeOfAddress,
} from './device-flow.ts';
import { audience, identityClaims, identityOf } from './identity.ts';
import { algorithm, type SigningKey } from './keys.ts';
import { createPolling, type Polling } from './polling.ts';
import { isForeignPage, showError, showMissing, showSignedOut, showSignOut } from './rendering.ts';

const resourceIndicator = 'urn:fairlead';
const scope = 'openid offline_access';
const accessTokenSeconds = 60 * 60;
const sessionSeconds = 14 * 24 * 60 * 60;

interface OidcProviderOptions {
  readonly issuer: string;
  readonly key: SigningKey;
  /** The origins of the API, which serves the console. */
  readonly consoleOrigins: readonly string[];
}

export function createProvider({ issuer, key, consoleOrigins }: OidcProviderOptions): Provider {
  const provider = new Provider(issuer, {
    adapter: memoryAdapter,
    jwks: { keys: [key] },
    // Sessions may end with the process; the token key is persistent.
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: consoleOrigins.length === 0 ? [commandLine] : [commandLine, consoleOf(consoleOrigins)],
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    clientBasedCORS: (_context, origin) => consoleOrigins.includes(origin),
    features: {
      devInteractions: { enabled: false },
      deviceFlow,
      pushedAuthorizationRequests: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) =>
          Promise.resolve(token.clientId === client.clientId),
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: showSignOut,
        postLogoutSuccessSource: showSignedOut,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resourceIndicator,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => {
          requireLocalApi(resource);
          return {
            scope,
            audience,
            accessTokenTTL: accessTokenSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: algorithm } },
          };
        },
      },
    },
    extraParams: {
      // Optional in RFC 6749 and 8628, but without it the library denies the request after the person has signed in.
      scope: (context) => {
        const { params } = context.oidc;
        if (params !== undefined) params['scope'] ??= 'openid';
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}`, policy: signInOnly() },
    renderError: showError,
    findAccount: (_context, sub) => {
      if (identityOf(sub) === undefined) return undefined;
      return { accountId: sub, claims: () => ({ sub }) };
    },
    extraTokenClaims: (_context, token) => {
      const subject = 'accountId' in token ? token.accountId : undefined;
      const identity = subject === undefined ? undefined : identityOf(subject);
      return identity === undefined ? {} : identityClaims(identity);
    },
    // No consent: all clients are our own.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope(scope);
      for (const resource of [resourceIndicator, ...resourcesOf(context)]) {
        grant.addResourceScope(resource, scope);
      }
      await grant.save();
      return grant;
    },
    // Programs of this machine stay signed in; scopes do not matter here.
    issueRefreshToken: (_context, client) =>
      Promise.resolve(client.grantTypeAllowed('refresh_token')),
    // A sign-in as another organization ends the session of the browser, but not the earlier logins of the command line.
    expiresWithSession: () => Promise.resolve(false),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      DeviceCode: deviceCodeSeconds,
      IdToken: accessTokenSeconds,
      Interaction: 600,
      Grant: sessionSeconds,
      Session: sessionSeconds,
      RefreshToken: sessionSeconds,
    },
  });
  const polling = createPolling(systemClock);
  provider.use(async (context, next) => {
    await next();
    await amend(context as unknown as AnsweringContext, polling);
  });
  return provider;
}

/**
 * The issuer serves the APIs of this machine, whose port may be that of a port-forward.
 * @throws InvalidTarget for an API elsewhere, which must not get a token of this one
 */
function requireLocalApi(resource: string): void {
  const { protocol, hostname } = new URL(resource);
  if (resource === resourceIndicator) return;
  if (protocol === 'http:' && loopbackHosts.includes(hostname)) return;
  throw new errors.InvalidTarget('the resource must be an API of this machine');
}

/** The library has checked them. */
function resourcesOf({ oidc }: KoaContextWithOIDC): readonly string[] {
  const resource: unknown = oidc.params?.['resource'];
  return [resource].flat().filter((each) => typeof each === 'string');
}

/** The OIDC context is missing for paths that the library does not serve. */
type AnsweringContext = Omit<KoaContextWithOIDC, 'oidc'> &
  Partial<Pick<KoaContextWithOIDC, 'oidc'>>;

/** Amends what the library answers: pages of our own only, and `slow_down`, which it leaves to its users. */
async function amend(answered: AnsweringContext, polling: Polling): Promise<void> {
  const context = answered as KoaContextWithOIDC;
  if (answered.oidc === undefined) showMissing(context);
  else if (answered.oidc.route === 'token') pacePoll(context, polling);
  else if (answered.oidc.route === 'device_authorization') addInterval(context);
  else if (answered.oidc.route === 'discovery') listResponseModes(context);
  else if (isForeignPage(context)) await replacePage(context);
}

const responseModes = ['query', 'fragment'];

/** The library lists `form_post` as well, which needs a script. */
function listResponseModes({ body }: KoaContextWithOIDC): void {
  Object.assign(body as object, { response_modes_supported: responseModes });
}

/** Replaces a page that the library made: it submits itself by a script. */
async function replacePage(context: KoaContextWithOIDC): Promise<void> {
  const { route } = context.oidc;
  if (route === 'code_verification') return await showCodeOfAddress(context);
  if (route === 'end_session') return showSignedOut(context);
  context.status = 400;
  const error_description = `the response mode must be ${responseModes.join(' or ')}`;
  return showError(context, { error: 'invalid_request', error_description });
}

// Native clients would need consent each time; the sign-in page is enough.
function signInOnly(): interactionPolicy.Prompt[] {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'device',
        'the identity of a device is chosen each time',
        ({ oidc }) =>
          /^(?:code|device)_/.test(oidc.route) && oidc.result?.login === undefined
            ? interactionPolicy.Check.REQUEST_PROMPT
            : interactionPolicy.Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

// Stores the sessions and codes of the issuer in bounded memory. They end with the process; tokens do not need them.

const maxEntries = 10_000;
const entries = new LRUCache<string, AdapterPayload>({ max: maxEntries });
/** Expired entries stay for a while: the answer to an expired code differs from that to an unknown one. */
const graceSeconds = 600;
const userCodes = new LRUCache<string, string>({ max: maxEntries });
const uids = new LRUCache<string, string>({ max: maxEntries });
const grants = new LRUCache<string, Set<string>>({ max: maxEntries });

/** @param model such as `Session` or `AuthorizationCode`; each has keys of its own */
function memoryAdapter(model: string): Adapter {
  const keyFor = (id: string) => `${model}:${id}`;
  return {
    upsert(id, payload, expiresIn = 0) {
      const key = keyFor(id);
      const { uid, grantId, userCode } = payload;
      if (uid !== undefined) uids.set(uid, key);
      if (userCode !== undefined) userCodes.set(userCode, key);
      if (grantId !== undefined) {
        grants.set(grantId, (grants.get(grantId) ?? new Set()).add(key));
      }
      // Some entries have no expiry of their own.
      const ttl = expiresIn > 0 ? (expiresIn + graceSeconds) * 1_000 : 0;
      entries.set(key, payload, { ttl });
      return Promise.resolve();
    },
    find: (id) => Promise.resolve(entries.get(keyFor(id))),
    findByUid: (uid) => Promise.resolve(entries.get(uids.get(uid) ?? '')),
    findByUserCode: (userCode) => Promise.resolve(entries.get(userCodes.get(userCode) ?? '')),
    consume(id) {
      const key = keyFor(id);
      const known = entries.get(key);
      const consumed = Math.floor(Date.now() / 1_000);
      if (known !== undefined) entries.set(key, { ...known, consumed }, { noUpdateTTL: true });
      return Promise.resolve();
    },
    destroy(id) {
      entries.delete(keyFor(id));
      return Promise.resolve();
    },
    revokeByGrantId(grantId) {
      for (const key of grants.get(grantId) ?? []) entries.delete(key);
      grants.delete(grantId);
      return Promise.resolve();
    },
  };
}
