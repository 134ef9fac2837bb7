/** Fairlead cannot start. The message is one sentence for the person at the terminal; no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
