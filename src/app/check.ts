// Implements `fairlead-server check`: checks the readiness of a running Fairlead and, with a token, applies, reads and deletes a
// draft. It prints one line per step and cleans up its draft, also when a step fails.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

interface ServiceCheckOptions {
  readonly url: string;
  /** A token with a role that may write; without it only readiness is checked. */
  readonly token: string | undefined;
  /** The time limit for readiness. */
  readonly timeoutMs: number;
}

export const checkFlags = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  timeout: { type: 'string', default: '60' },
} as const;

const answerMs = 10_000;
const draft = { provider: 'fairlead', resource: 'check' };

/**
 * @param argv `--url URL [--token-file FILE] [--timeout SECONDS]`
 * @param print receives one line
 * @returns whether every step succeeded; a failure is printed
 */
export async function checkService(
  argv: readonly string[],
  print: (line: string) => void,
): Promise<boolean> {
  try {
    for await (const line of steps(await parseOptions(argv))) print(`ok      ${line}`);
    return true;
  } catch (thrown) {
    print(`FAILED  ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return false;
  }
}

async function parseOptions(argv: readonly string[]): Promise<ServiceCheckOptions> {
  const { values } = parseArgs({
    args: [...argv],
    options: checkFlags,
  });
  const { url, 'token-file': file, timeout } = values;
  if (url === undefined || !URL.canParse(url)) throw new TypeError('--url: must be a URL');
  const timeoutMs = Number(timeout) * 1_000;
  if (!(timeoutMs > 0)) throw new TypeError('--timeout: must be a number of seconds');
  const token = file === undefined ? undefined : (await readFile(file, 'utf8')).trim();
  return { url, token, timeoutMs };
}

async function* steps({ url, token, timeoutMs }: ServiceCheckOptions): AsyncIterable<string> {
  await becomesReady(url, timeoutMs);
  yield `${url} is ready`;
  if (token === undefined) {
    yield 'no token file: skipped the draft';
    return;
  }
  const name = `check-${randomUUID()}`;
  const path = `/resources/${draft.provider}/${draft.resource}/${name}`;
  const ask = (method: string, at: string, body?: object) =>
    fetchAnswer(new URL(at, url), { method, token, body });
  try {
    const wanted = { ...draft, name, config: {}, lifecycle_state: 'draft' };
    await ask('POST', '/resources/apply', wanted).then(expecting(200));
    yield 'a draft was applied';
    await ask('GET', path).then(expecting(200));
    yield 'it was read back';
  } finally {
    await ask('DELETE', path).then(expecting(204));
  }
  await ask('GET', path).then(expecting(404));
  yield 'it was deleted';
}

async function becomesReady(url: string, timeoutMs: number): Promise<void> {
  const giveUp = AbortSignal.timeout(timeoutMs);
  let last = 'no response';
  while (!giveUp.aborted) {
    try {
      const { status } = await fetch(new URL('/readyz', url), { signal: giveUp });
      if (status === 200) return;
      last = `/readyz answered ${status}`;
    } catch (thrown) {
      if (!giveUp.aborted) last = thrownCause(thrown);
    }
    await pause(500);
  }
  throw new Error(`${url} was not ready in ${timeoutMs / 1_000} s: ${last}`);
}

interface CheckResponse {
  readonly what: string;
  readonly status: number;
  readonly text: string;
}

async function fetchAnswer(
  url: URL,
  { method, token, body }: { method: string; token: string; body: object | undefined },
): Promise<CheckResponse> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(answerMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { what: `${method} ${url.pathname}`, status: answer.status, text: await answer.text() };
}

function expecting(wanted: number) {
  return ({ what, status, text }: CheckResponse) => {
    if (status === wanted) return;
    throw new Error(`${what} answered ${status} instead of ${wanted}: ${text.slice(0, 500)}`);
  };
}

/** fetch only reports a failure; its `cause` has the reason. */
function thrownCause(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return cause instanceof Error ? cause.message : String(cause);
}
