// Implements the OpenID provider: authorization code with PKCE for programs on this machine, access tokens as JWTs.
import { randomBytes } from 'node:crypto';
import { interactionPolicy, Provider } from 'oidc-provider';
import { audience, claimsOf, clientId, identityOf } from './identity.ts';
import { algorithm, type SigningKey } from './keys.ts';
import { memoryAdapter } from './memory.ts';

const resourceIndicator = 'urn:fairlead';
const scope = 'openid offline_access';
const accessTokenSeconds = 60 * 60;
const sessionSeconds = 14 * 24 * 60 * 60;

export function createProvider(issuer: string, key: SigningKey): Provider {
  return new Provider(issuer, {
    adapter: memoryAdapter,
    jwks: { keys: [key] },
    // Sessions may end with the process; the token key is persistent.
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: clientId,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        // A native client may use any port of these.
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resourceIndicator,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience,
          accessTokenTTL: accessTokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: algorithm } },
        }),
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}`, policy: loginOnly() },
    findAccount: (_context, sub) => {
      if (identityOf(sub) === undefined) return undefined;
      return { accountId: sub, claims: () => ({ sub }) };
    },
    extraTokenClaims: (_context, token) => {
      const subject = 'accountId' in token ? token.accountId : undefined;
      const identity = subject === undefined ? undefined : identityOf(subject);
      return identity === undefined ? {} : claimsOf(identity);
    },
    // No consent: the only client is our own.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new context.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      });
      grant.addOIDCScope(scope);
      grant.addResourceScope(resourceIndicator, scope);
      await grant.save();
      return grant;
    },
    // Programs of this machine stay signed in; scopes do not matter here.
    issueRefreshToken: (_context, client) =>
      Promise.resolve(client.grantTypeAllowed('refresh_token')),
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: accessTokenSeconds,
      Interaction: 600,
      Grant: sessionSeconds,
      Session: sessionSeconds,
      RefreshToken: sessionSeconds,
    },
  });
}

// Native clients would need consent each time; the login page is enough.
function loginOnly(): interactionPolicy.Prompt[] {
  const policy = interactionPolicy.base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  return policy;
}
