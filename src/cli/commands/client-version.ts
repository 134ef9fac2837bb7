// Gives the version of the client, which the build puts in place of CLIENT_VERSION.

declare const CLIENT_VERSION: string | undefined;

/** `0.0.0-source` when the client runs from its sources, as in unit tests. */
export const clientVersion: string =
  typeof CLIENT_VERSION === 'string' ? CLIENT_VERSION : '0.0.0-source';
