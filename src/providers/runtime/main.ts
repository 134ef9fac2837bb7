// Entry point of a provider's pod: only this verb, to save the memory of the rest of Fairlead.
import { setFlagsFromString } from 'node:v8';
import { runtimeVerb } from './verb.ts';

// The heap of a process that hardly works grows to 170 MiB before V8 collects it as a whole, and what pods reserve for a supervisor is 64.
// Children have limits of their own.
setFlagsFromString('--optimize-for-size');
await runtimeVerb(process.argv.slice(2));
