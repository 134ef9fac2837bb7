// Defines what all pages of the issuer share: document, stylesheet, headers. No page has a script or an external resource.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Html, html } from './html.ts';

export interface Page {
  readonly status: number;
  readonly body: string;
}

const style = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8');
// A ring that guides a line: a fairlead.
const icon = readFileSync(join(import.meta.dirname, '../../icon.svg'), 'utf8');
const styleHash = createHash('sha256').update(style).digest('base64');

/** The headers of every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    // Browsers apply this to redirects after a form too, and the last of them leads to the client.
    "form-action 'self' http://127.0.0.1:* http://localhost:*",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // With `no-referrer`, browsers send `Origin: null` with forms, which is rejected as cross-origin.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** @param heading also the title of the document */
export function page(status: number, heading: string, content: Html): Page {
  const prefix = status < 400 ? '' : 'Error: ';
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${prefix}${heading} - Fairlead</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>
<span class="icon" aria-hidden="true">${new Html(icon)}</span>
<span>Fairlead</span>
<span class="mode">development issuer</span>
</header>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`;
  return { status, body: document.text };
}

/** A page without a form, where a sign-in ends. */
export function messagePage(status: number, heading: string, ...paragraphs: string[]): Page {
  return page(status, heading, html`${paragraphs.map((each) => html`<p>${each}</p>`)}`);
}

/** The summary of an error, which screen readers read first. */
export function alert(problem: string | undefined): Html | undefined {
  if (problem === undefined) return undefined;
  return html`<p class="problem" id="problem" role="alert">${problem}</p>`;
}
