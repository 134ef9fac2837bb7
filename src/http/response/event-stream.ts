// The parts that all streams of the API share: the choice of server-sent events, signs of life, the end with the token.

export const eventStreamType = 'text/event-stream';

/** The API promises output every five seconds. */
export const quietMs = 4_000;

/** A comment: the sign of life of a stream that has no position. */
export const quietComment = ': quiet\n\n';

/** Buffering proxies would delay what is sent. */
export const streamHeaders = { 'X-Accel-Buffering': 'no' } as const;

/** @returns whether an `Accept` header asks for server-sent events */
export function wantsEvents(accept: string): boolean {
  const asked = accept.split(',').map((each) => each.trim().toLowerCase());
  return asked.some((each) => /^text\/event-stream\s*(;|$)/.test(each));
}

interface StreamKeepAlive {
  /** Sent after a silence. */
  readonly quiet: () => Uint8Array;
  readonly quietMs: number;
}

/** Passes a stream on, with a sign of life after every silence, so that no proxy closes a quiet stream. */
export async function* withSignsOfLife(
  pieces: AsyncIterable<Uint8Array>,
  { quiet, quietMs: silenceMs }: StreamKeepAlive,
): AsyncGenerator<Uint8Array, void, void> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = source.next();
      const isSettledWithin = watcherOf(next);
      while (!(await isSettledWithin(silenceMs))) yield quiet();
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    await source.return?.();
  }
}

/**
 * One reaction for the life of the promise: a race in every silence would add one each time, and a stream may be quiet for
 * hours.
 */
export function watcherOf(promise: Promise<unknown>): (milliseconds: number) => Promise<boolean> {
  let isSettled = false;
  let wake = () => {};
  const settle = () => {
    isSettled = true;
    wake();
  };
  promise.then(settle, settle);
  return (milliseconds) => {
    if (isSettled) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds, false);
      wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  };
}
