// One request and its whole response over a pool of connections, within an absolute deadline. Built on `dispatch` of undici:
// its `request` makes a stream and several signals for each call, which cost more CPU than the call itself.
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';

interface ExchangeRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Record<string, string>;
  readonly body?: string | null;
}

interface ExchangeLimits {
  /** Milliseconds from this call to the last byte of the response; waiting for a connection counts. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte of a response, interim responses (1xx) included; default: `timeoutMs`. */
  readonly quietMs?: number | undefined;
  /** Called at every interim response. @returns milliseconds by which the deadline is later, all in all */
  readonly onInterim?: ((headers: IncomingHeaders) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The largest response. */
  readonly maxBytes: number;
}

export interface IncomingResponse<Body> {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly body: Body;
}

export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Collects a body while it arrives. */
interface BodyCollector<Body> {
  add(chunk: Buffer): void;
  whole(): Body;
}

/** Collects the bytes of a body, which the reader checks or keeps. */
export function bytesOfBody(): BodyCollector<Buffer> {
  const chunks: Buffer[] = [];
  return { add: (chunk) => void chunks.push(chunk), whole: () => Buffer.concat(chunks) };
}

/**
 * Collects a body as UTF-8 text. Chunks become strings at once, so that a large body is never one block of malloc, nor is a text of
 * it: glibc keeps such blocks, or what lies below them, when they are free.
 */
export function textOfBody(): BodyCollector<string> {
  const decoder = new StringDecoder();
  let text = '';
  return {
    add(chunk) {
      text += decoder.write(chunk);
    },
    whole: () => text + decoder.end(),
  };
}

/** There is no complete response. `quiet`: nothing arrived within `quietMs`; `broken`: see `cause`. */
export class NoResponse extends Error {
  readonly why: 'timedOut' | 'quiet' | 'aborted' | 'tooLarge' | 'broken';
  /** False when no byte of the request has left this machine. */
  readonly sent: boolean;

  constructor(why: NoResponse['why'], sent: boolean, cause?: unknown) {
    super(`No response: ${why}`, { cause });
    this.why = why;
    this.sent = sent;
  }
}

// One a second for an hour, and a margin: each costs a little CPU, and a hostile server could send them at line rate.
const maxInterims = 5_000;

/** @throws NoResponse */
export function exchange<Body>(
  connections: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  body: BodyCollector<Body>,
): Promise<IncomingResponse<Body>> {
  if (limits.signal?.aborted === true) return Promise.reject(new NoResponse('aborted', false));
  if (limits.timeoutMs <= 0) return Promise.reject(new NoResponse('timedOut', false));
  return new Promise((resolve, reject) => {
    connections.dispatch(request, new Reception({ limits, body, resolve, reject }));
  });
}

interface ReceptionOptions<Body> {
  readonly limits: ExchangeLimits;
  readonly body: BodyCollector<Body>;
  readonly resolve: (response: IncomingResponse<Body>) => void;
  readonly reject: (reason: NoResponse) => void;
}

class Reception<Body> implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #body: BodyCollector<Body>;
  readonly #resolve: (response: IncomingResponse<Body>) => void;
  readonly #reject: (reason: NoResponse) => void;
  readonly #begun = performance.now();
  #deadline: NodeJS.Timeout;
  #quiet: NodeJS.Timeout | undefined;
  #extraMs = 0;
  readonly #onAbort = () => this.#giveUp('aborted');
  #connection: Dispatcher.DispatchController | undefined;
  #ended = false;
  #interims = 0;
  #status = 0;
  #headers: IncomingHeaders = {};
  #bytes = 0;

  constructor({ limits, body, resolve, reject }: ReceptionOptions<Body>) {
    this.#limits = limits;
    this.#body = body;
    this.#resolve = resolve;
    this.#reject = reject;
    const { timeoutMs, quietMs = timeoutMs } = limits;
    this.#deadline = setTimeout(() => this.#giveUp('timedOut'), timeoutMs);
    if (quietMs < timeoutMs) this.#quiet = setTimeout(() => this.#giveUp('quiet'), quietMs);
    limits.signal?.addEventListener('abort', this.#onAbort);
  }

  /** Called right before the first byte is written. */
  onRequestStart(connection: Dispatcher.DispatchController): void {
    // The caller gave up while the request waited for a connection: an abort now writes nothing.
    if (this.#ended) connection.abort(new NoResponse('aborted', false));
    else this.#connection = connection;
  }

  onResponseStart(
    _connection: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHeaders,
  ): void {
    this.#quiet?.refresh();
    // Another response follows, the final one or a further interim one.
    if (status < 200) {
      this.#interim(headers);
      return;
    }
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_connection: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#quiet?.refresh();
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBytes) this.#giveUp('tooLarge');
    else if (!this.#ended) this.#body.add(chunk);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body.whole() });
  }

  onResponseError(_connection: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#reject(new NoResponse('broken', this.#sent, error));
  }

  get #sent(): boolean {
    return this.#connection !== undefined;
  }

  #interim(headers: IncomingHeaders): void {
    this.#interims += 1;
    if (this.#interims > maxInterims) this.#giveUp('tooLarge');
    else if (!this.#ended) this.#extend(this.#limits.onInterim?.(headers) ?? 0);
  }

  #extend(extraMs: number): void {
    if (extraMs <= this.#extraMs) return;
    this.#extraMs = extraMs;
    const { timeoutMs, quietMs = timeoutMs } = this.#limits;
    clearTimeout(this.#deadline);
    const left = this.#begun + timeoutMs + extraMs - performance.now();
    this.#deadline = setTimeout(() => this.#giveUp('timedOut'), left);
    this.#quiet ??= setTimeout(() => this.#giveUp('quiet'), quietMs);
  }

  #giveUp(why: NoResponse['why']): void {
    if (!this.#end()) return;
    const reason = new NoResponse(why, this.#sent);
    this.#reject(reason);
    // Closes the connection: the rest of the response would be taken for that of the next request.
    this.#connection?.abort(reason);
  }

  /** @returns false when the exchange has ended before */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#quiet);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
