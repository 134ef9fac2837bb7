// Repeats requests that may be repeated: after failed connections, 502, 503 and 504 with backoff, and after 429 at the time that the server
// names. Others fail at once, because their outcome is unknown.
import { retryAfterMs } from '../../../lib/retry-after.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import { ConnectionError, exchangeHttp, type HttpAnswer, type HttpRequest } from './transport.ts';

interface ApiRetryOptions {
  /** Whether the same request twice does no more than once. */
  readonly isRepeatable: boolean;
  /** Called before a wait that the rate limit of the server causes. */
  readonly onLimit: () => void;
  readonly detail: (text: string) => void;
  /** For tests. */
  readonly random?: () => number;
}

const attempts = 3;
const firstDelayMs = 250;
const maxWaitMs = 60_000;
/** Requests of one organization share a rate, so short waits for it are no failures. */
const shortWaitsMs = 10_000;
const temporary: readonly number[] = [502, 503, 504];

/** Returns whether the same request may have another answer in a moment. */
export function isTemporary(status: number): boolean {
  return temporary.includes(status);
}

/** @throws CliError when no answer came; the reason of the signal when it is aborted */
export async function exchangeWithRetries(
  request: HttpRequest,
  options: ApiRetryOptions,
): Promise<HttpAnswer> {
  let limitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    const result = await exchangeHttp(request).catch((thrown: unknown) => {
      if (thrown instanceof ConnectionError) return thrown;
      throw thrown;
    });
    const delay = delayAfter(result, { attempt, limitedMs }, options);
    if (delay === undefined) {
      if (result instanceof ConnectionError)
        throw unreachable(request, result, { attempt, ...options });
      return result;
    }
    if (!(result instanceof ConnectionError)) result.body.resume();
    if (isLimited(result)) {
      limitedMs += delay;
      options.onLimit();
    }
    announceRetry(result, delay, options);
    await abortablePause(delay, request.signal);
  }
}

/** @returns the milliseconds until the next attempt, undefined when there is none */
function delayAfter(
  result: HttpAnswer | ConnectionError,
  { attempt, limitedMs }: { attempt: number; limitedMs: number },
  { isRepeatable, random = Math.random }: ApiRetryOptions,
): number | undefined {
  const backoff = firstDelayMs * 2 ** (attempt - 1) * (0.5 + random());
  const isLast = attempt >= attempts;
  if (result instanceof ConnectionError) return isRepeatable && !isLast ? backoff : undefined;
  const wanted = retryAfterMs(result.headers['retry-after'], new Date()) ?? backoff;
  // A rate limit is checked before anything is done.
  const isPermitted = isLimited(result)
    ? !isLast || limitedMs + wanted <= shortWaitsMs
    : isRepeatable && !isLast && isTemporary(result.status);
  return isPermitted && wanted <= maxWaitMs ? wanted : undefined;
}

function isLimited(result: HttpAnswer | ConnectionError): boolean {
  return !(result instanceof ConnectionError) && result.status === 429;
}

function announceRetry(
  result: HttpAnswer | ConnectionError,
  delay: number,
  { detail }: ApiRetryOptions,
): void {
  const seconds = `${Math.max(1, Math.round(delay / 1_000))}s`;
  const what = result instanceof ConnectionError ? result.message : `status ${result.status}`;
  detail(`  ${what}; again in ${seconds}`);
}

function unreachable(
  { url, method }: HttpRequest,
  error: ConnectionError,
  { attempt, isRepeatable }: { attempt: number; isRepeatable: boolean },
): CliError {
  const tries = attempt === 1 ? '' : `tried ${attempt} times, last: `;
  const unknown = isRepeatable ? [] : [outcomeUnknown({ method, path: url.pathname })];
  return new CliError(`${url.origin} did not answer (${tries}${error.message}).`, {
    exit: ExitCode.unreachable,
    facts: unknown,
    next: 'fairlead doctor',
    cause: error,
  });
}

/** @returns the sentence after a request whose answer is lost */
export function outcomeUnknown({ method, path }: Record<'method' | 'path', string>): string {
  return `It is unknown whether ${method} ${path} took effect: look before you repeat it.`;
}

/** Waits. @throws the reason of the signal when it is aborted */
export function abortablePause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}
