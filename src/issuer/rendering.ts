// Answers requests of the OpenID provider with pages of this issuer, in place of those of the library, which have scripts.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { identityOf } from './identity.ts';
import { messagePage, type Page, pageHeaders } from './pages/frame.ts';
import { signedOutPage, signOutPage } from './pages/sign-in.ts';

/** Answers with a page. */
export function renderPage(context: KoaContextWithOIDC, { status, body }: Page): void {
  context.status = status;
  context.set(pageHeaders);
  context.body = body;
}

/** @returns whether the response is HTML of the library */
export function isForeignPage({ response, res }: KoaContextWithOIDC): boolean {
  const isOurs = res.hasHeader('content-security-policy');
  return response.is('html') === 'html' && !isOurs && !res.hasHeader('location');
}

/** Returns the secret of the session that protects forms against cross-site requests. */
export function xsrfOf({ oidc }: KoaContextWithOIDC): string {
  const secret = oidc.session?.state?.['secret'];
  return typeof secret === 'string' ? secret : '';
}

/** Shows an error that cannot be sent to a client, such as a redirect URI that is not registered. */
export function showError(context: KoaContextWithOIDC, out: ErrorOut): void {
  renderPage(context, errorPage(context.status, out));
}

const sentences: Readonly<Record<string, string>> = {
  invalid_redirect_uri:
    'The redirect URI of this request is not registered for its client, so nothing is sent there.',
  invalid_client: 'This issuer does not know the client of this request.',
  session_not_found: 'This sign-in has expired, or it was started in another browser.',
  server_error: 'The issuer failed to process this request; its log has the error.',
};

/** Returns the page for an OAuth error; it ends with what to do. */
export function errorPage(
  status: number,
  { error, error_description: description }: ErrorOut,
): Page {
  const sentence = sentences[error] ?? 'The issuer cannot process this request.';
  const detail = description === undefined ? error : `${error}: ${description}`;
  const advice = 'Start the sign-in again from the command line or the console.';
  return messagePage(status, 'Sign-in failed', `${sentence} ${advice}`, `Details: ${detail}`);
}

/** Shows the page of an address that does not exist. */
export function showMissing(context: KoaContextWithOIDC): void {
  renderPage(
    context,
    messagePage(404, 'Not found', 'This issuer has no such page. Check the address.'),
  );
}

/** Shows the page that asks before the session of this browser ends. */
export function showSignOut(context: KoaContextWithOIDC): void {
  const { accountId } = context.oidc.session ?? {};
  const identity = accountId === undefined ? undefined : identityOf(accountId);
  const action = context.oidc.urlFor('end_session_confirm');
  renderPage(context, signOutPage({ action, xsrf: xsrfOf(context), identity }));
}

/** Shows the page after the session of this browser has ended. */
export function showSignedOut(context: KoaContextWithOIDC): void {
  renderPage(context, signedOutPage());
}
