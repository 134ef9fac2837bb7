// Serves /openapi.json and /docs: the API for programs and for people. The page loads nothing from other hosts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import { type Endpoint, publicEndpoint } from '../endpoint.ts';
import type { RouteAnswer } from '../response/send.ts';

const tag = 'Documentation';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fairlead API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// Without `validatorUrl: null` the page would send our URL to a validator on the internet.
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
};

// The page sets style attributes itself; scripts come from files only.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * @param document makes the OpenAPI document, which does not change while the process runs. It takes 45 ms of CPU, and most processes never
 * serve it, so its first reader has it made.
 */
export function docsRoutes(document: () => unknown): readonly Endpoint[] {
  let openapi: RouteAnswer | undefined;
  const assets = new Map<string, RouteAnswer>([['start.js', file('start.js', Buffer.from(start))]]);
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    assets.set(name, file(name, readFileSync(join(swaggerFolder(), name))));
  }
  const index = file('index.html', Buffer.from(page));
  return [
    publicEndpoint('getOpenApi', {
      documentation: {
        tag,
        summary: 'Get the OpenAPI document',
        answer: { status: 200, description: 'The OpenAPI 3.1 document.', type: 'application/json' },
      },
      handle: () => (openapi ??= openApiAnswer(document())),
    }),
    publicEndpoint('getDocs', {
      documentation: {
        tag,
        summary: 'Show the documentation of the API',
        answer: { status: 200, description: 'The documentation page.', type: 'text/html' },
      },
      handle: () => index,
    }),
    publicEndpoint('getDocsFile', {
      documentation: {
        tag,
        summary: 'Get a file of the documentation page',
        answer: { status: 200, description: 'The file.', type: '*/*' },
      },
      handle: ({ path }) => {
        const found = assets.get(path.file);
        if (found !== undefined) return found;
        throw new FairleadError('not_found', 'Not Found');
      },
    }),
  ];
}

function openApiAnswer(document: unknown): RouteAnswer {
  return {
    status: 200,
    headers: { 'Cache-Control': 'public, max-age=60' },
    content: { type: 'application/json', bytes: Buffer.from(JSON.stringify(document)) },
  };
}

function swaggerFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

function file(name: string, bytes: Buffer): RouteAnswer {
  const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const headers = {
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'public, max-age=3600',
  };
  return { status: 200, headers, content: { type, bytes } };
}
