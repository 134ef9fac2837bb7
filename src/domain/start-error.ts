/** Why Fairlead cannot start, as one sentence for the person at the terminal; no stack is shown for it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
