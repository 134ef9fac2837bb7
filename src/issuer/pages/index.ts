// Renders the start page of the issuer, which explains what it is for.
import { type Page, page } from './frame.ts';
import { html } from './html.ts';

export function indexPage(): Page {
  return page(
    200,
    'Token issuer',
    html`<p>This issuer is for development and evaluation: it accepts any identity without a password, and signs tokens for the API of this installation.</p>
<ul>
<li>Sign in from a terminal: <code>fairlead login</code></li>
<li>Sign in a device that shows a code: <a href="/device">enter the code</a></li>
<li>Print a token of <code>npm start</code>: <code>npm run --silent token -- --org acme</code></li>
<li>Configure a client: <a href="/.well-known/openid-configuration">metadata of this issuer</a></li>
</ul>`,
  );
}
