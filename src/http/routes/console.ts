// Serves the console: its files, and what it has to know before anybody signs in. Not part of the OpenAPI document.
import { FairleadError } from '../../domain/errors.ts';
import type { SignIn } from '../auth/issuer-settings.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import { json, type RouteAnswer } from '../response/send.ts';
import { type StaticFile, sendFile } from '../response/static-files.ts';

export interface ConsoleSettings {
  /** By name; empty where the console is not built. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Undefined where no issuer has a client for the console. */
  readonly signIn: SignIn | undefined;
}

const tag = 'Console';

export function consoleRoutes({ files, signIn }: ConsoleSettings): readonly Endpoint[] {
  const headers = {
    'Content-Security-Policy': policyFor(signIn?.issuer),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  const fileOf = (name: string, header: (name: string) => string): RouteAnswer => {
    const file = files.get(name);
    if (file !== undefined) return sendFile(file, header, headers);
    throw files.size === 0 ? notBuilt() : new FairleadError('not_found', 'Not Found');
  };
  return [
    publicEndpoint('getConsole', {
      // The issuer returns here with `code` and `state`, which are for the script.
      ignoresQuery: true,
      documentation: {
        tag,
        summary: 'Show the console',
        answer: { status: 200, description: 'The page.', type: 'text/html' },
      },
      handle: ({ header }) => fileOf('index.html', header),
    }),
    publicEndpoint('getConsoleSettings', {
      documentation: {
        tag,
        summary: 'Get how the console signs in',
        answer: { status: 200, description: 'The settings.', type: 'application/json' },
      },
      handle: () => json({ signIn: signIn ?? null, commandLine: false }),
    }),
    publicEndpoint('getConsoleFile', {
      ignoresQuery: true,
      documentation: {
        tag,
        summary: 'Get a file of the console',
        answer: { status: 200, description: 'The file.', type: '*/*' },
      },
      handle: ({ path, header }) => fileOf(path.file, header),
    }),
  ];
}

function notBuilt(): FairleadError {
  return new FairleadError('not_found', 'This installation has no console', {
    help: 'Build it with "npm run build", or use an image that contains it.',
  });
}

/** Scripts and styles come from files only; connections go to the API and to the issuer. */
function policyFor(issuer: string | undefined): string {
  const connections = ["'self'", ...(issuer === undefined ? [] : [new URL(issuer).origin])];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connections.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
