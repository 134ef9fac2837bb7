// The program of a provider's pod: the verb alone, without the rest of Fairlead, which would only cost it memory.
import { runtimeVerb } from './verb.ts';

await runtimeVerb(process.argv.slice(2));
