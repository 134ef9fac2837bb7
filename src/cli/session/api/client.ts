// The typed client of the API: signs requests in, repeats them where that is safe, and turns answers into values or errors.

import type { OperationId } from '../../../api/operations.ts';
import type { AnswerOf } from '../../../api/shapes.ts';
import { nextPage } from '../../../client/api/link.ts';
import { type InputOf, requestTo } from '../../../client/api/request.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Talk } from '../../terminal/talk.ts';
import { exchangeWithRetries } from './retry.ts';
import { type Body, bodyText, type HttpAnswer } from './transport.ts';

/** Where tokens come from: the environment, a file, or the store with its refresh. */
export interface TokenSource {
  /** @throws CliError when there is none */
  token(): Promise<string>;
  /** @returns another token after the API refused one, undefined when there is none */
  renewed(refused: string): Promise<string | undefined>;
}

interface ApiOptions {
  /** Scheme, host and port; perhaps a path before that of the API. */
  readonly url: URL;
  readonly tokens: TokenSource;
  readonly talk: Talk;
  readonly signal: AbortSignal;
  readonly userAgent: string;
}

export interface ApiCallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the same request twice does no more than once. By default for GET, PUT and DELETE. */
  readonly isRepeatable?: boolean | undefined;
  /** Milliseconds until the headers of the answer must be there; 30 s by default. */
  readonly answerTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RawRequest extends ApiCallOptions {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: Body;
  /** Sends no token. */
  readonly isPublic?: boolean;
}

export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly body: T;
}

const repeatable: readonly string[] = ['GET', 'HEAD', 'PUT', 'DELETE'];
const answerTimeoutMs = 30_000;
const limitNote = 'The server limits the rate of requests, so this takes longer.';

export class Api {
  readonly url: URL;
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.url = options.url;
    this.#options = options;
  }

  /**
   * Calls an operation for its whole answer, with its headers.
   * @throws ApiError for an answer that reports an error, CliError without an answer
   */
  async request<Id extends OperationId>(
    id: Id,
    input: InputOf<Id> & ApiCallOptions,
  ): Promise<ApiAnswer<AnswerOf<Id>>> {
    const answer = await this.send(this.#requestFor(id, input));
    return { ...answer, body: answerValue(answer.body) as AnswerOf<Id> };
  }

  /** Calls an operation. @returns the body of its answer. @throws as `request` */
  async call<Id extends OperationId>(
    id: Id,
    input: InputOf<Id> & ApiCallOptions,
  ): Promise<AnswerOf<Id>> {
    return (await this.request(id, input)).body;
  }

  /** @returns the items of all pages of a list, at most `limit` */
  async list<Id extends OperationId>(
    id: Id,
    input: InputOf<Id> & ApiCallOptions,
    limit = Infinity,
  ): Promise<ItemOf<Id>[]> {
    const items: ItemOf<Id>[] = [];
    let request: RawRequest | undefined = this.#requestFor(id, input);
    while (request !== undefined && items.length < limit) {
      const { headers, body } = await this.send(request);
      items.push(...(answerValue(body) as ItemOf<Id>[]));
      const next = nextPage(headers['link']);
      request = next === undefined ? undefined : { ...request, path: next };
    }
    return items.slice(0, limit);
  }

  /** Sends any request and reads its answer as text. @throws as `request` */
  async send(request: RawRequest): Promise<ApiAnswer<string>> {
    const answer = await this.open(request);
    return { status: answer.status, headers: answer.headers, body: await bodyText(answer) };
  }

  /** Sends any request; the body of the answer is still to be read. @throws as `request` */
  async open(request: RawRequest): Promise<HttpAnswer> {
    return this.#checked(request, await this.pass(request));
  }

  /** Sends any request, and returns also an answer that reports an error. @throws CliError without an answer */
  async pass(request: RawRequest): Promise<HttpAnswer> {
    if (request.isPublic === true) return this.#exchange(request);
    const { tokens } = this.#options;
    const token = await tokens.token();
    const answer = await this.#exchange(request, token);
    if (answer.status !== 401) return answer;
    const renewed = await tokens.renewed(token);
    if (renewed === undefined) return answer;
    answer.body.resume();
    return await this.#exchange(request, renewed);
  }

  #requestFor<Id extends OperationId>(id: Id, input: InputOf<Id> & ApiCallOptions): RawRequest {
    const { headers, isRepeatable, answerTimeoutMs, signal }: ApiCallOptions = input;
    return { isRepeatable, answerTimeoutMs, signal, ...requestTo(id, input, headers) };
  }

  async #exchange(request: RawRequest, token?: string): Promise<HttpAnswer> {
    const { talk, signal, userAgent } = this.#options;
    const { method, path } = request;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const startedAt = milliseconds();
    const answer = await exchangeWithRetries(
      {
        method,
        url: this.#urlOf(path),
        headers: { ...request.headers, ...authorization, 'user-agent': userAgent },
        body: request.body,
        signal: request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]),
        answerTimeoutMs: request.answerTimeoutMs ?? answerTimeoutMs,
      },
      {
        isRepeatable: request.isRepeatable ?? repeatable.includes(method),
        onLimit: () => talk.once(limitNote),
        detail: (text) => talk.detail(text),
      },
    );
    const ms = milliseconds() - startedAt;
    talk.detail(`${method} ${path}  ${answer.status}  ${ms} ms  ${requestIdOf(answer) ?? ''}`);
    return answer;
  }

  async #checked(request: RawRequest, answer: HttpAnswer): Promise<HttpAnswer> {
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    const { method, path } = request;
    if (status >= 300 && status < 400) {
      answer.body.resume();
      throw redirected(this.url, headers.location);
    }
    const body = jsonOrText(await bodyText(answer));
    const requestId = requestIdOf(answer);
    throw new ApiError({ method, path: path.split('?', 1)[0] ?? path, status, body, requestId });
  }

  /** @throws CliError for a path that means another server, such as `/\host`: the token must not go there */
  #urlOf(path: string): URL {
    const url = new URL(this.url.pathname.replace(/\/$/, '') + path, this.url);
    if (url.origin === this.url.origin) return url;
    throw usageError(`The path ${JSON.stringify(path)} means another server, ${url.host}.`);
  }
}

type ItemOf<Id extends OperationId> = AnswerOf<Id> extends readonly (infer Item)[] ? Item : never;

export function requestIdOf({ headers }: HttpAnswer): string | undefined {
  const id = headers['x-request-id'];
  return Array.isArray(id) ? id[0] : id;
}

/** A token must not follow a redirect to another place. */
function redirected(url: URL, location = 'elsewhere'): CliError {
  return new CliError(`${url.origin} redirects to ${location}, and the client does not follow.`, {
    exit: ExitCode.unreachable,
    next: 'Set the address that answers itself: fairlead context set NAME --url URL',
  });
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @returns JSON as its value, an empty body as undefined, and other text as it is */
function answerValue(text: string): unknown {
  return text === '' ? undefined : jsonOrText(text);
}

// `performance` would load node:perf_hooks, which takes 2 ms.
function milliseconds(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
