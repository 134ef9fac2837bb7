// Opens an OpenID provider with openid-client: its metadata, and its refusals as errors for people. It uses fetch, which only
// logins and refreshes pay for.
import type { Configuration } from 'openid-client';
import { isLoopback } from '../../../lib/loopback.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Login } from './credentials.ts';

interface IssuerClient {
  readonly issuer: string;
  readonly clientId: string;
}

const timeoutSeconds = 10;

/** @throws CliError when the issuer cannot be reached or is none */
export async function openIssuer({ issuer, clientId }: IssuerClient): Promise<Configuration> {
  const { allowInsecureRequests, discovery, None } = await import('openid-client');
  const url = parseIssuer(issuer);
  // TLS may be missing only on loopback.
  const execute = isLoopback(url) ? [allowInsecureRequests] : [];
  try {
    return await discovery(url, clientId, undefined, None(), { execute, timeout: timeoutSeconds });
  } catch (thrown) {
    throw issuerError(thrown, issuer);
  }
}

function parseIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))) return url;
  throw usageError(`The issuer must be an https URL, is "${text}".`);
}

/** @returns the parameter of each request to the issuer that names the API (RFC 8707) */
export function resourceParameter({ resource }: { readonly resource?: string | undefined }) {
  return resource === undefined ? undefined : { resource };
}

/** @returns the OAuth error code of a refusal, such as `invalid_grant`; undefined for anything else */
export function oauthCodeOf(thrown: unknown): string | undefined {
  const { error } = thrown as { error?: unknown };
  return thrown instanceof Error && typeof error === 'string' ? error : undefined;
}

/** @returns the error for people: refused by the issuer, or out of reach */
export function issuerError(thrown: unknown, issuer: string): CliError {
  if (thrown instanceof CliError) return thrown;
  const code = oauthCodeOf(thrown);
  if (code !== undefined) {
    const { error_description: description } = thrown as { error_description?: string };
    return new CliError(`${issuer} refused the sign-in: ${description ?? code}.`, {
      exit: ExitCode.notAllowed,
      cause: thrown,
    });
  }
  return new CliError(
    `The issuer ${issuer} does not answer as expected: ${deepestReason(thrown)}.`,
    {
      exit: ExitCode.unreachable,
      next: 'fairlead doctor',
      cause: thrown,
    },
  );
}

/** The innermost cause is the most specific: `fetch failed` is the outermost. */
function deepestReason(thrown: unknown): string {
  let error = thrown;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  if (error instanceof AggregateError) error = error.errors.at(-1);
  if (!(error instanceof Error)) return String(error);
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}

// Revokes the refresh token of a login at its issuer (RFC 7009).

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
