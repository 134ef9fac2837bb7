// The answer to a request that reaches no handler.

/** An answer without calling a handler. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** Seconds until a retry can help. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function notAnEvent(): Refusal {
  return new Refusal(400, 'not_an_event', 'The body is not an event');
}
