// Requests of the API to a provider besides events, and the meanings of their answers. Nothing of them is recorded.
import type { JsonObject } from '../../lib/json.ts';
import type { CheckBody, EventBody, ListBody, MigrateBody, PlanBody } from '../event.ts';
import type { Organization } from '../identity.ts';

type ProviderQuestion<Body> = Omit<Body, 'event_id' | 'organization_id'>;

/** The body of a request, without what the sender adds. */
export type ProviderRequest =
  | ProviderQuestion<MigrateBody>
  | ProviderQuestion<CheckBody>
  | ProviderQuestion<ListBody>
  | ProviderQuestion<PlanBody>
  | (ProviderQuestion<EventBody> & { readonly event_type: 'OBSERVE' });

export type ProviderReply =
  | { readonly kind: 'done'; readonly body: JsonObject }
  /** The provider said no, in these words: bounded, without control characters, not masked. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The provider, or the SDK that it was built with, does not know the request. */
  | { readonly kind: 'unknown' }
  /** No process of the version that serves is ready, or it did not answer. */
  | {
      readonly kind: 'unavailable';
      readonly message: string;
      readonly code?: string;
      /** Why nothing was sent: no process is ready, or too many requests are open. */
      readonly unsent?: 'no_process' | 'busy';
    };

/**
 * Sends one request to a process of the version that serves; no behavior of a provider makes it throw.
 * @throws FairleadError `too_many_requests` while too many of the organization are open
 */
export type AskProvider = (
  organization: Organization,
  request: ProviderRequest,
  signal: AbortSignal,
) => Promise<ProviderReply>;
