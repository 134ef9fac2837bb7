// Serves /.well-known/jwks.json: the public keys that verify the signatures of events.
import { FairleadError } from '../../domain/errors.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { json } from '../response/send.ts';

const unpublishedSeconds = 5;

/** @param eventKeys undefined until a controller has published keys */
export function eventKeyRoutes(
  eventKeys: () => readonly object[] | undefined,
): readonly Endpoint[] {
  return [
    publicEndpoint('getEventKeys', {
      documentation: {
        tag: 'Authentication',
        summary: 'Get the public keys that verify signatures of events',
        answer: { status: 200, description: 'The public keys.' },
        errors: ['unavailable'],
      },
      handle: () => {
        const keys = eventKeys();
        // Clients would cache an empty list; unpublished keys are a different response.
        if (keys === undefined) throw unpublished();
        return json({ keys }, { headers: { 'Cache-Control': 'public, max-age=60' } });
      },
    }),
  ];
}

function unpublished(): FairleadError {
  const message = 'The public event keys are not published yet; try again';
  return new FairleadError('unavailable', message, { retryAfter: unpublishedSeconds });
}
