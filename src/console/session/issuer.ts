// Speaks with an issuer: authorization code with PKCE (RFC 7636), as a public client. Loaded when somebody signs in or out.
import * as oauth from 'oauth4webapi';
import { text } from '../text.ts';
import { idTokenHint, type Tokens } from './session.ts';
import type { SignInSettings } from './settings.ts';

/** The values that the page needs when the browser returns from the issuer; removed then. */
interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page that was open. */
  readonly hash: string;
}

const pendingKey = 'fairlead.sign-in';

/** The issuer refused, or answered what does not fit the request. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

function redirectUri(): string {
  return `${location.origin}/console/`;
}

/** TLS may be missing only on loopback. */
function requestOptions(issuer: URL) {
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(issuer.hostname);
  return issuer.protocol === 'http:' && isLoopback ? { [oauth.allowInsecureRequests]: true } : {};
}

async function serverOf(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  try {
    const answer = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...requestOptions(url) });
    return await oauth.processDiscoveryResponse(url, answer);
  } catch (thrown) {
    throw new SignInError(text('sign-in.no-issuer', { issuer }), { cause: thrown });
  }
}

/** Sends the browser to the issuer; it returns to the page that is open now. @throws SignInError */
export async function goToIssuer(settings: SignInSettings): Promise<void> {
  const server = await serverOf(settings.issuer);
  if (server.authorization_endpoint === undefined) {
    throw new SignInError(text('sign-in.no-issuer', { issuer: settings.issuer }));
  }
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    hash: location.hash,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    ...settings.parameters,
    client_id: settings.clientId,
    response_type: 'code',
    redirect_uri: redirectUri(),
    scope: settings.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Exchanges the code of the answer for tokens, and removes it from the address. @throws SignInError */
export async function tokensOfAnswer(settings: SignInSettings): Promise<Tokens> {
  const url = new URL(location.href);
  const pending = takePending();
  history.replaceState(null, '', `/console/${pending?.hash ?? ''}`);
  if (pending === undefined) throw new SignInError(text('sign-in.not-begun'));
  const server = await serverOf(settings.issuer);
  const client: oauth.Client = { client_id: settings.clientId };
  try {
    const parameters = oauth.validateAuthResponse(server, client, url, pending.state);
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri(),
      pending.verifier,
      requestOptions(new URL(settings.issuer)),
    );
    const isOpenId = settings.scope.split(' ').includes('openid');
    const granted = await oauth.processAuthorizationCodeResponse(server, client, answer, {
      ...(isOpenId ? { expectedNonce: pending.nonce, requireIdToken: true } : {}),
    });
    return grantedTokens(granted, settings);
  } catch (thrown) {
    throw new SignInError(signInRefusal(thrown), { cause: thrown });
  }
}

function grantedTokens(granted: oauth.TokenEndpointResponse, settings: SignInSettings): Tokens {
  const bearer = granted[settings.token];
  if (bearer === undefined) throw new SignInError(text('sign-in.no-token'));
  const claims =
    settings.token === 'id_token' ? oauth.getValidatedIdTokenClaims(granted) : undefined;
  const seconds = claims === undefined ? granted.expires_in : claims.exp - claims.iat;
  return { bearer, idToken: granted.id_token, expiresInSeconds: seconds };
}

function takePending(): PendingSignIn | undefined {
  const stored = sessionStorage.getItem(pendingKey);
  sessionStorage.removeItem(pendingKey);
  return stored === null ? undefined : (JSON.parse(stored) as PendingSignIn);
}

/** @returns a sentence for people; what the issuer wrote is shown as text */
function signInRefusal(thrown: unknown): string {
  if (thrown instanceof SignInError) return thrown.message;
  if (
    thrown instanceof oauth.AuthorizationResponseError ||
    thrown instanceof oauth.ResponseBodyError
  ) {
    return text('sign-in.refused', { reason: thrown.error_description ?? thrown.error });
  }
  return text('sign-in.failed', { reason: thrown instanceof Error ? thrown.message : '' });
}

/** Ends the session at the issuer, where it offers that, and returns to the sign-in of the console. */
export async function signOut(settings: SignInSettings): Promise<void> {
  const hint = idTokenHint();
  const { end_session_endpoint: end } = await serverOf(settings.issuer).catch(() => ({
    end_session_endpoint: undefined,
  }));
  if (end === undefined) {
    location.replace('/console/');
    return;
  }
  const url = new URL(end);
  url.searchParams.set('client_id', settings.clientId);
  url.searchParams.set('post_logout_redirect_uri', redirectUri());
  if (hint !== undefined) url.searchParams.set('id_token_hint', hint);
  location.assign(url);
}
