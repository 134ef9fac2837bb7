// The compile cache of the programs that tests start without their own environment.
const { NODE_COMPILE_CACHE = '' } = process.env;

/** Nothing but the cache of this run; without it a program compiles its modules for as long as it takes to start. */
export const bareEnvironment: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE };
