// Entry point of a provider's pod: only this verb, to save the memory of the rest of Fairlead.
import { runtimeVerb } from './verb.ts';

await runtimeVerb(process.argv.slice(2));
