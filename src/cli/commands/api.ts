// `fairlead api METHOD PATH`: any request to the API, signed in. The way out for everything that has no command.
import { readFileSync } from 'node:fs';
import type { Invocation } from '../session/invocation.ts';
import { readInput } from '../terminal/environment.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { usageError } from '../terminal/errors/cli-error.ts';
import type { Output } from '../terminal/output.ts';

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export async function api(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const [method, path] = requestLine(args);
  const fields = flags.texts('field').map(apiField);
  const body = await bodyFromFlags(invocation, { method, fields });
  const hasQuery = method === 'GET' || method === 'DELETE' || flags.text('body') !== undefined;
  const client = await invocation.api();
  const answer = await client
    .send({
      method,
      path: hasQuery ? withQuery(path, fields) : path,
      headers: headersOf(flags.texts('header'), body !== undefined),
      ...(body === undefined ? {} : { body }),
    })
    .catch((thrown: unknown) => {
      throw aboutFile(thrown, flags.text('body'));
    });
  if (flags.on('include')) {
    output.line(`HTTP ${answer.status}`);
    for (const [name, value] of Object.entries(answer.headers))
      output.line(`${name}: ${String(value)}`);
    output.line('');
  }
  if (answer.body === '') talk.detail('The answer has no body.');
  else printBody(output, answer.body);
}

/** The server speaks of a header, and people of the file that they sent. */
function aboutFile(thrown: unknown, file: string | undefined): unknown {
  const isOfFile = thrown instanceof ApiError && thrown.code === 'unsupported_media_type';
  if (!isOfFile || file === undefined) return thrown;
  const name = file === '-' ? 'Standard input' : `The file ${file}`;
  return usageError(
    `${name} is sent as something else than this path takes: JSON, or a form for code.`,
    'Without -H it is sent as JSON. Code: fairlead push',
  );
}

function requestLine(args: readonly string[]): readonly [string, string] {
  const [first = '', second] = args;
  const [method, path] = second === undefined ? ['GET', first] : [first.toUpperCase(), second];
  if (!methods.includes(method)) {
    throw usageError(`The method must be one of ${methods.join(', ')}, is "${method}".`);
  }
  if (!path.startsWith('/')) {
    throw usageError(`The path must begin with a slash, such as /resources/, is "${path}".`);
  }
  return [method, path];
}

function apiField(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`A field must be NAME=VALUE, is "${text}".`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function withQuery(path: string, fields: readonly (readonly [string, string])[]): string {
  if (fields.length === 0) return path;
  const query = new URLSearchParams();
  for (const [name, value] of fields) query.append(name, value);
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

async function bodyFromFlags(
  { flags, environment }: Invocation,
  { method, fields }: { method: string; fields: readonly (readonly [string, string])[] },
): Promise<string | Uint8Array | undefined> {
  const input = flags.text('body');
  if (input === '-') return await readInput(environment);
  if (input !== undefined) {
    try {
      return readFileSync(input);
    } catch (thrown) {
      throw usageError(`The input cannot be read: ${(thrown as Error).message}.`);
    }
  }
  if (fields.length === 0 || method === 'GET' || method === 'DELETE') return undefined;
  return JSON.stringify(
    Object.fromEntries(fields.map(([name, value]) => [name, fieldValue(value)])),
  );
}

/** `true`, `null` and numbers are JSON, anything else is text, as `gh api` has it. */
function fieldValue(text: string): unknown {
  return /^(?:true|false|null|-?\d{1,15})$/.test(text) ? JSON.parse(text) : text;
}

function headersOf(lines: readonly string[], hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (hasBody) headers['content-type'] = 'application/json';
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === '') throw usageError(`A header must be "Name: value", is "${line}".`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

function printBody(output: Output, body: string): void {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    output.text(`${body}\n`);
    return;
  }
  output.json(value);
}
