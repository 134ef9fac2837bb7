// The answers of the server on loopback itself: refusals and failures, as a page for people or in the shape of the API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CliError } from '../errors/cli-error.ts';
import { ExitCode } from '../exit-codes.ts';

export interface PageFailure {
  readonly status: number;
  readonly detail: string;
  readonly help?: string | undefined;
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers with JSON, or with a page when the browser opens an address. */
export function fail(
  request: IncomingMessage,
  response: ServerResponse,
  failure: PageFailure,
): void {
  const { status, detail, help } = failure;
  const isPage = request.headers.accept?.includes('text/html') === true;
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(status, { ...headers, 'content-type': type });
  response.end(isPage ? pageOf(failure) : JSON.stringify({ detail, ...(help && { help }) }));
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** @returns the failure of a request that did not reach the API, or was not signed in */
export function answerFailure(thrown: unknown): PageFailure {
  if (!(thrown instanceof CliError)) return { status: 502, detail: 'The API does not answer' };
  const status = thrown.exit === ExitCode.notAllowed ? 401 : 502;
  return { status, detail: thrown.message, help: thrown.next };
}

function pageOf({ detail, help = '' }: PageFailure): string {
  const [title, advice] = [detail, help].map(escaped);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Fairlead</title><h1>${title}</h1><p>${advice}</p></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
