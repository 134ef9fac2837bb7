// The time that a handler may take. It stands still while the handler waits to be called, and while its process is blocked by another.

export interface HandlerTime {
  readonly limitMs: number;
  /** Resolves when the time is over. */
  readonly over: Promise<void>;
  isOver(): boolean;
  /** Milliseconds so far in which it stood still, or which count no longer because the handler is called again. */
  waitedMs(): number;
  /** Counts from now on, from 0. */
  begin(): void;
  hold(): void;
  goOn(): void;
  /** The handler has ended. */
  end(): void;
}

export function createHandlerTime(limitMs: number): HandlerTime {
  const over = Promise.withResolvers<void>();
  const madeAt = performance.now();
  let spentMs = 0;
  /** When it went on; undefined while it stands still. */
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  function spent(): number {
    return spentMs + (since === undefined ? 0 : performance.now() - since);
  }

  function hold(): void {
    spentMs = spent();
    since = undefined;
    clearTimeout(timer);
  }

  function goOn(): void {
    if (isOver || since !== undefined) return;
    since = performance.now();
    timer = setTimeout(end, limitMs - spentMs).unref();
  }

  function end(): void {
    hold();
    isOver = true;
    over.resolve();
  }

  return {
    limitMs,
    over: over.promise,
    isOver: () => isOver,
    waitedMs: () => performance.now() - madeAt - spent(),
    begin() {
      hold();
      spentMs = 0;
      goOn();
    },
    hold,
    goOn,
    end: hold,
  };
}
