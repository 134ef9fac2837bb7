// Answers as values, and the one place that writes them.
// JSON answers carry exactly `application/json`: RFC 8259 defines no charset parameter.
import type { ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: { readonly type: string; readonly bytes: Buffer };
}

export const noContent: Answer = { status: 204 };

export function json(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  const bytes = Buffer.from(JSON.stringify(value));
  return { status, headers, content: { type: 'application/json', bytes } };
}

/** Writes an answer; for HEAD, node sends the same headers and leaves the content out. */
export function send(res: ServerResponse, { status, headers = {}, content }: Answer): void {
  res.statusCode = status;
  // Answers belong to one caller: nothing between us and them may keep a copy, unless a route says otherwise.
  res.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (content === undefined) {
    res.end();
    return;
  }
  res.setHeader('Content-Type', content.type);
  res.setHeader('Content-Length', content.bytes.length);
  res.end(content.bytes);
}

export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  send(res, json(value, { status }));
}
