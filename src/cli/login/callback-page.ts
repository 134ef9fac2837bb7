// The page at which a sign-in in the browser ends: plain HTML without a script, in the style of the development issuer.

export interface CallbackPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

export const signedIn: CallbackPage = {
  status: 200,
  title: 'You are signed in',
  text: 'Go on in the terminal. You can close this window.',
};

export const rejected: CallbackPage = {
  status: 200,
  title: 'You are not signed in',
  text: 'The terminal shows the reason. You can close this window.',
};

/** @param status of a request that is not the answer to the sign-in */
export function unexpected(status: number): CallbackPage {
  const text = 'The command line waits for another sign-in. Run fairlead login again.';
  return { status, title: 'Unexpected sign-in', text };
}

export function htmlOf({ title, text }: CallbackPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} – Fairlead</title>
<style>
:root { color-scheme: light dark; font: 100% / 1.5 system-ui, sans-serif }
body { max-width: 28rem; margin: 0 auto; padding: clamp(1rem, 9vh, 6rem) 1rem; background: light-dark(#eef2f4, #0d1317); color: light-dark(#15212b, #e4ebf0) }
header { margin-bottom: .75rem; font-size: 1.125rem; font-weight: 650 }
main { padding: clamp(1.25rem, 5vw, 2rem); border: 1px solid light-dark(#d5dde3, #2a3842); border-radius: .75rem; background: light-dark(#fff, #161f26) }
h1 { margin: 0; font-size: 1.375rem }
p { margin: .5rem 0 0 }
</style>
<header>Fairlead</header>
<main><h1>${title}</h1><p>${text}</p></main>
</html>
`;
}
