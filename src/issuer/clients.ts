// Defines the clients of the issuer, command line and console: both are public, so PKCE protects their codes.
import type { ClientMetadata } from 'oidc-provider';
import { clientId, consoleClientId } from './identity.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The command line: it redirects to any port of loopback (RFC 8252), or to none (device authorization grant). */
export const commandLine: ClientMetadata = {
  client_id: clientId,
  client_name: 'Fairlead command line',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token', deviceGrant],
  response_types: ['code'],
  // A native client may use any port of these.
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
};

/**
 * The console: it gets new tokens through the session of the browser, so it needs no refresh token.
 * @param origins of the API, which serves it
 */
export function consoleOf(origins: readonly string[]): ClientMetadata {
  const pages = origins.map((origin) => `${origin}/console/`);
  return {
    client_id: consoleClientId,
    client_name: 'Fairlead console',
    // Not `native`: that would accept every port of loopback.
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: pages,
    post_logout_redirect_uris: pages,
  };
}

/** Returns the origins of the API on a port of this machine. */
export function originsOn(port: number): readonly string[] {
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
}
