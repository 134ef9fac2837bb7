// Explains that no version of a provider runs here: it was never deployed, or it runs elsewhere.
import { FairleadError } from '../../domain/errors.ts';

/** @param endpoint of a provider that runs elsewhere */
export function notDeployed(provider: string, endpoint: string | undefined): FairleadError {
  return new FairleadError('not_deployed', messageFor(provider, endpoint));
}

function messageFor(provider: string, endpoint: string | undefined): string {
  if (endpoint === undefined) return `Provider ${provider} was never deployed`;
  // Shows only the host of an address: administrators may have put credentials into it.
  const host = URL.canParse(endpoint) ? ` (${new URL(endpoint).host})` : '';
  return `Provider ${provider} runs elsewhere${host} and is not deployed by Fairlead`;
}
