// The program of the containers of a build Job: the verb alone, without the rest of Fairlead.
import { buildStepVerb } from './verb.ts';

process.exitCode = await buildStepVerb(process.argv.slice(2), process.env);
