// Counts work that must not be cut by a signal: between the answer of an issuer, which spends a refresh token, and the write
// of the new one, the end of the process would lose the login.

let running = 0;

/** Runs work during which the process does not end on a signal. */
export async function critically<T>(work: () => Promise<T>): Promise<T> {
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

export function isCritical(): boolean {
  return running > 0;
}
