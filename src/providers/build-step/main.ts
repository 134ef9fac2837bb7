// Entry point of the containers of a build Job: only this verb, without the rest of Fairlead.
import { buildStepVerb } from './verb.ts';

process.exitCode = await buildStepVerb(process.argv.slice(2), process.env);
