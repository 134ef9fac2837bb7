// Implements /.well-known/oauth-protected-resource (RFC 9728): where clients of this API sign in.
import type { z } from 'zod';
import type { ProtectedResource } from '../../api/schemas/protected-resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { IssuerSettings } from '../auth/issuer-settings.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { json } from '../response/send.ts';

const metadataPath = '/.well-known/oauth-protected-resource';

const defaultScope = 'openid offline_access';

export interface ProtectedResourceDeps {
  /** Origin of the API for clients outside. */
  readonly publicUrl: string | undefined;
  /** Only those with a client of the command line are published. */
  readonly issuers: readonly IssuerSettings[];
  readonly release: string;
}

/** @returns the address for `WWW-Authenticate`; undefined without a public URL */
export function metadataUrlOf({
  publicUrl,
}: Pick<ProtectedResourceDeps, 'publicUrl'>): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl}${metadataPath}`;
}

export function protectedResourceRoutes(deps: ProtectedResourceDeps): readonly Endpoint[] {
  return [
    publicEndpoint('getProtectedResource', {
      documentation: {
        tag: 'Authentication',
        summary: 'Show where clients sign in',
        description:
          'Metadata of the API as an OAuth 2.0 protected resource (RFC 9728). `WWW-Authenticate` of a 401 contains its address. Issuers without a client of the command line are not listed.',
        answer: {
          status: 200,
          description: 'The issuers at which clients sign in.',
        },
        errors: ['not_found'],
      },
      handle: () => json(metadataOf(deps), { headers: { 'Cache-Control': 'public, max-age=60' } }),
    }),
  ];
}

/** @throws FairleadError `not_found` without a public URL: clients compare it with the address that they use */
function metadataOf({
  publicUrl,
  issuers,
  release,
}: ProtectedResourceDeps): z.input<typeof ProtectedResource> {
  if (publicUrl === undefined) {
    const message = 'The installation does not publish where clients sign in: it has no public URL';
    const help =
      'Give the client its issuer and client id, or ask the administrator to set FAIRLEAD_PUBLIC_URL.';
    throw new FairleadError('not_found', message, { help });
  }
  const clients = issuers.flatMap(clientMetadata);
  // RFC 9728 omits lists without elements.
  const signIn =
    clients.length === 0
      ? {}
      : { authorization_servers: clients.map(({ issuer }) => issuer), fairlead_clients: clients };
  return {
    resource: publicUrl,
    bearer_methods_supported: ['header'],
    resource_name: 'Fairlead',
    resource_documentation: `${publicUrl}/docs`,
    fairlead_version: release,
    ...signIn,
  };
}

function clientMetadata({ issuer, cli, console: web }: IssuerSettings) {
  if (cli === undefined) return [];
  const { clientId, scope = defaultScope, parameters = {}, token = 'access_token' } = cli;
  return [
    {
      issuer,
      client_id: clientId,
      scope,
      parameters: { ...parameters },
      token,
      console_client_id: web?.clientId ?? null,
    },
  ];
}
