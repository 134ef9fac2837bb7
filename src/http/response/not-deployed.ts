// Explains that no version of a provider runs here: it was never deployed, or it runs elsewhere. Then what a caller asks for is there.
import { FairleadError } from '../../domain/errors.ts';

/** Texts about a provider that runs elsewhere: what is true of it, and what to do. */
const elsewhere = {
  version: [' and is not deployed by Fairlead', 'Deploy its code where it runs.'],
  log: [': Fairlead has no log of it', 'Read its log where it runs.'],
  settings: [
    ': Fairlead sends it no settings',
    'Give it the settings where it runs: serve(provider, { settings }) of the SDK.',
  ],
} as const;

/** @param endpoint of a provider that runs elsewhere */
export function notDeployed(
  provider: string,
  endpoint: string | undefined,
  asked: keyof typeof elsewhere,
): FairleadError {
  if (endpoint === undefined) {
    return new FairleadError('not_deployed', `Provider ${provider} was never deployed`);
  }
  // Shows only the host of an address: administrators may have put credentials into it.
  const host = URL.canParse(endpoint) ? ` (${new URL(endpoint).host})` : '';
  const [truth, help] = elsewhere[asked];
  const message = `Provider ${provider} runs elsewhere${host}${truth}`;
  return new FairleadError('not_deployed', message, { help, context: { provider, hosted: false } });
}
