// Renders the login page, where users pick an identity: no script, no external resources.
import { roles } from './identity.ts';

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 10vh auto; padding: 0 1rem; }
  h1 { font-size: 1.3rem; }
  label { display: block; margin: 1rem 0 0.25rem; font-weight: 600; }
  input, select, button { font: inherit; width: 100%; padding: 0.5rem; box-sizing: border-box; }
  button { margin-top: 1.5rem; font-weight: 600; cursor: pointer; }
  small { color: GrayText; }
  .problem { border-left: 4px solid #c33; padding: 0.25rem 0.75rem; }
`;

/** The headers of every page of the issuer. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** @param problem error message for the last choice */
export function loginPage(action: string, problem?: string): string {
  const options = roles
    .map((role) => `<option${role === 'admin' ? ' selected' : ''}>${role}</option>`)
    .join('');
  return page(
    'Sign in to Fairlead',
    `${problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`}
<p>This issuer is for development only: it accepts any identity without a password.</p>
<form method="post" action="${escaped(action)}">
  <label for="organization">Organization</label>
  <input id="organization" name="organization" required maxlength="256" value="acme" autofocus>
  <label for="role">Role</label>
  <select id="role" name="role">${options}</select>
  <label for="project">Project <small>(optional: a platform token, for this project only)</small></label>
  <input id="project" name="project" maxlength="63">
  <button>Sign in</button>
</form>`,
  );
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${escaped(text)}</p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${content}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
