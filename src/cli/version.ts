// Gives the version of the client, which the build puts in place of FAIRLEAD_VERSION.

declare const FAIRLEAD_VERSION: string | undefined;

/** `0.0.0-source` when the client runs from its sources, as in unit tests. */
export const clientVersion: string =
  typeof FAIRLEAD_VERSION === 'string' ? FAIRLEAD_VERSION : '0.0.0-source';
