// Defines the exit codes of the client. They are part of its interface: scripts depend on them.

export const ExitCode = {
  /** It is done. `diff` and `observe` also end with it when there are differences. */
  done: 0,
  /** The requested result did not come about: a resource, build or rollout failed. Also a defect of the client. */
  failed: 1,
  /** The command line or a file is wrong. */
  usage: 2,
  /** `diff --exit-code` or `observe --exit-code` found differences. */
  different: 3,
  /** Not signed in, or not allowed. */
  notAllowed: 4,
  notFound: 5,
  /** Busy, in use, or changed since. */
  conflict: 6,
  /** `--timeout` ran out while waiting. */
  timedOut: 7,
  /** The server or the issuer cannot be reached or does not answer. */
  unreachable: 8,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The meaning of each exit code, for `fairlead help exit-codes` and the documentation. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'done (diff and observe: also when there are differences)',
  1: 'a resource, build or rollout failed, nothing was observed, or a defect of the client',
  2: 'the command line or a file is wrong (also 400, 413, 415 and 422 of the API)',
  3: 'diff --exit-code or observe --exit-code found differences',
  4: 'not signed in, or not allowed (401 and 403)',
  5: 'not found (404; logs: no line of the resource or event)',
  6: 'conflict: busy, in use, or changed since (409 and 412)',
  7: '--timeout ran out while waiting',
  8: 'the server or the issuer cannot be reached or does not answer (429 and 5xx, after retries)',
  130: 'interrupted with Ctrl-C',
};

const bySeverity: readonly ExitCode[] = [
  ExitCode.interrupted,
  ExitCode.notAllowed,
  ExitCode.unreachable,
  ExitCode.usage,
  ExitCode.conflict,
  ExitCode.notFound,
  ExitCode.failed,
  ExitCode.timedOut,
];

/** @returns the exit code of several operations: the most severe of theirs, or `done` */
export function worstOf(codes: Iterable<ExitCode>): ExitCode {
  const all = new Set(codes);
  return bySeverity.find((code) => all.has(code)) ?? ExitCode.done;
}

/** @returns the exit code for a status of the API that has no error code, such as that of a proxy */
export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return ExitCode.notAllowed;
  if (status === 404) return ExitCode.notFound;
  if (status === 409 || status === 412) return ExitCode.conflict;
  if (status === 429 || status >= 500) return ExitCode.unreachable;
  return status >= 400 ? ExitCode.usage : ExitCode.failed;
}
