// /.well-known/jwks.json: the public keys with which anybody can tell our events from forged ones.
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { KeySet } from '../schemas.ts';
import { json } from '../send.ts';

export interface PublicKeySet {
  readonly keys: readonly object[];
}

export function eventKeyRoutes(eventKeys: () => PublicKeySet): readonly Endpoint[] {
  return [
    publicEndpoint({
      method: 'GET',
      path: '/.well-known/jwks.json',
      documentation: {
        operationId: 'getEventKeys',
        tag: 'Authentication',
        summary: 'Get the keys that events are signed with',
        answer: { status: 200, description: 'The public keys.', schema: KeySet },
      },
      handle: () => json(eventKeys(), { headers: { 'Cache-Control': 'public, max-age=60' } }),
    }),
  ];
}
