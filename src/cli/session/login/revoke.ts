// Revokes the refresh token of a login at its issuer (RFC 7009).
import type { Login } from './credentials.ts';
import { issuerError, openIssuer } from './issuer.ts';

/** The login is deleted in any case, so nothing is thrown. @returns a warning when the token is still valid */
export async function revocationProblem(login: Login): Promise<string | undefined> {
  const { issuer, client_id: clientId, refresh_token: token } = login;
  if (token === undefined) return undefined;
  try {
    const config = await openIssuer({ issuer, clientId });
    if (config.serverMetadata().revocation_endpoint === undefined) {
      return `${issuer} cannot revoke tokens: that of this login is valid until it expires.`;
    }
    const { tokenRevocation } = await import('openid-client');
    await tokenRevocation(config, token, { token_type_hint: 'refresh_token' });
    return undefined;
  } catch (thrown) {
    const { message } = issuerError(thrown, issuer);
    return `The token was not revoked, and is valid until it expires: ${message}`;
  }
}
