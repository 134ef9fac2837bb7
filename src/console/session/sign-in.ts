// Signs in at an issuer. The tokens stay in memory, so a reload goes through the issuer again, whose own session answers without a
// question.
import type { Tokens } from './session.ts';
import type { SignInSettings } from './settings.ts';

const knownKey = 'fairlead.signed-in';

/** With its library a tenth of the console, which `fairlead console` does not need. */
const issuer = () => import('./issuer.ts');

/** Sends the browser to the issuer; it returns to the page that is open now. @throws SignInError */
export async function goToIssuer(settings: SignInSettings): Promise<void> {
  await (await issuer()).goToIssuer(settings);
}

/** @returns whether this page is the answer of the issuer */
export function isAnswer(): boolean {
  const parameters = new URLSearchParams(location.search);
  return parameters.has('state') && (parameters.has('code') || parameters.has('error'));
}

/** Exchanges the code of the answer for tokens, and removes it from the address. @throws SignInError */
export async function tokensOfAnswer(settings: SignInSettings): Promise<Tokens> {
  const tokens = await (await issuer()).tokensOfAnswer(settings);
  sessionStorage.setItem(knownKey, 'yes');
  return tokens;
}

/** @returns whether this tab was signed in before, so that a reload goes to the issuer without a question */
export function wasSignedIn(): boolean {
  return sessionStorage.getItem(knownKey) !== null;
}

export function forgetSignIn(): void {
  sessionStorage.removeItem(knownKey);
}

/** Ends the session at the issuer, where it offers that, and returns to the sign-in of the console. */
export async function signOut(settings: SignInSettings): Promise<void> {
  forgetSignIn();
  await (await issuer()).signOut(settings);
}
