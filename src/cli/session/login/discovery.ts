// Finds out where to sign in: from the metadata of the API (RFC 9728), or from flags.
import type { ProtectedResource } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Api } from '../api/client.ts';
import { apiKey } from './credentials.ts';

/** How the client signs in at an issuer. */
export interface SignInClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Binds the token to the API (RFC 8707), in each request to the issuer; undefined for issuers that refuse the parameter. */
  readonly resource: string | undefined;
  /** Further parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The token that the API accepts. */
  readonly token: 'access_token' | 'id_token';
}

/** Servers of others may leave anything out. */
type ResourceMetadata = Partial<ProtectedResource>;

export const metadataPath = '/.well-known/oauth-protected-resource';
export const standardScope = 'openid offline_access';
const withFlags = 'fairlead login URL --issuer ISSUER --client-id ID';

/**
 * @param given the scope of `--scope`, in place of what the API asks for
 * @returns the issuers at which the API lets people sign in
 * @throws CliError when it names none, or asks for a token of another API
 */
export async function discoverClients(
  api: Api,
  given: { readonly scope?: string | undefined } = {},
): Promise<readonly SignInClient[]> {
  const { resource, fairlead_clients: clients = [] } = await resourceMetadata(api);
  requireSameResource(resource, api.url);
  if (clients.length === 0) {
    throw new CliError(`${api.url.origin} names no issuer for this client.`, {
      exit: ExitCode.notAllowed,
      next: `An administrator can set one (cli of FAIRLEAD_ISSUERS), or: ${withFlags}`,
    });
  }
  return clients.map((client) => {
    const { resource: indicator = apiKey(api.url), ...parameters } = client.parameters ?? {};
    const scope = client.scope ?? standardScope;
    requireOwn(
      [
        ['resource', indicator],
        ['audience', parameters['audience'] ?? ''],
      ],
      api.url,
    );
    if (given.scope === undefined) requireOwnScope(scope, api.url);
    const token = client.token === 'id_token' ? 'id_token' : 'access_token';
    return {
      issuer: client.issuer,
      clientId: client.client_id,
      scope: given.scope ?? scope,
      // Empty: the issuer refuses it. The audience of an ID token is the client in any case.
      resource: indicator === '' || token === 'id_token' ? undefined : indicator,
      parameters,
      token,
    };
  });
}

type AuthorizationParameter = readonly [name: 'resource' | 'audience' | 'scope', value: string];

/** Without this check, a server could ask for a token of another API. */
function requireOwn(asked: readonly AuthorizationParameter[], url: URL, next = withFlags): void {
  const foreign = asked.find(([name, value]) => {
    if (value === '') return false;
    const named = URL.canParse(value) ? new URL(value) : undefined;
    // Many issuers give an audience or a scope a plain name, but a resource is a URL (RFC 9728).
    if (named === undefined || !/^https?:$/.test(named.protocol)) return name === 'resource';
    return !isSameServer(named, url);
  });
  if (foreign === undefined) return;
  throw new CliError(`The metadata of ${url.origin} asks for a token of another API.`, {
    exit: ExitCode.notAllowed,
    facts: [foreign],
    next: `If that is right: ${next}`,
  });
}

/** At some issuers a scope is what chooses the API, such as `https://graph.microsoft.com/User.Read`. */
function requireOwnScope(scope: string, url: URL): void {
  const asked = scope.split(' ').map((value): AuthorizationParameter => ['scope', value]);
  requireOwn(asked, url, shell`fairlead login ${apiKey(url)} --scope ${scope}`);
}

async function resourceMetadata(api: Api): Promise<ResourceMetadata> {
  try {
    const { body } = await api.send({ method: 'GET', path: metadataPath, isPublic: true });
    return JSON.parse(body) as ResourceMetadata;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || (thrown instanceof ApiError && thrown.status < 500)) {
      throw new CliError(`${api.url.origin} does not publish where clients sign in.`, {
        exit: ExitCode.notAllowed,
        next: withFlags,
        cause: thrown,
      });
    }
    throw thrown;
  }
}

/** RFC 9728, section 3.3: else a server could pass on the sign-in of another. */
function requireSameResource(resource: string | undefined, url: URL): void {
  const named = resource !== undefined && URL.canParse(resource) ? new URL(resource) : undefined;
  if (named !== undefined && isSameApi(named, url)) return;
  throw new CliError(
    `The metadata of ${url.origin} names another address: ${resource ?? 'none'}.`,
    {
      exit: ExitCode.usage,
      ...(resource === undefined ? {} : { next: shell`fairlead login ${resource}` }),
    },
  );
}

/** `localhost` and `127.0.0.1` are the same server. */
function isSameApi(left: URL, right: URL): boolean {
  const path = (url: URL) => url.pathname.replace(/\/$/, '');
  if (path(left) !== path(right)) return false;
  return isSameServer(left, right);
}

function isSameServer(left: URL, right: URL): boolean {
  if (left.origin === right.origin) return true;
  return isLoopback(left) && isLoopback(right) && left.port === right.port;
}
