// Renders the pages of the device authorization grant: enter the code, approve it, done.
import type { DevIdentity } from '../identity.ts';
import { alert, messagePage, type Page, page } from './frame.ts';
import { html } from './html.ts';
import { identityList } from './sign-in.ts';

interface CodeForm {
  readonly action: string;
  /** The secret of the session that protects the form. */
  readonly xsrf: string;
}

/** @param problem why the last code was not accepted. @param code the last code */
export function codeEntryPage(
  { action, xsrf }: CodeForm,
  { problem, code = '', status = 200 }: { problem?: string; code?: string; status?: number } = {},
): Page {
  return page(
    status,
    'Sign in on a device',
    html`${alert(problem)}
<p>Enter the code that your terminal shows.</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="field">
<label for="user_code">Code</label>
<input class="entry" type="text" id="user_code" name="user_code" required maxlength="32" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false" value="${code}"${problem === undefined ? undefined : html` aria-invalid="true" aria-errormessage="problem"`} autofocus>
</div>
<div class="actions"><button>Continue</button></div>
</form>`,
  );
}

/** @param client the name of the client that asks */
export function codeApprovalPage(
  { action, xsrf }: CodeForm,
  { code, client }: { code: string; client: string },
): Page {
  return page(
    200,
    'Approve this sign-in?',
    html`<p>The <strong>${client}</strong> asks to sign in with this code:</p>
<p class="code">${code}</p>
<p>Approve only if you started this sign-in and your terminal shows the same code. You choose the identity in the next step.</p>
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<input type="hidden" name="user_code" value="${code}">
<div class="actions">
<button name="confirm" value="yes">Approve</button>
<button class="quiet" name="abort" value="yes">Deny</button>
</div>
</form>`,
  );
}

export function deviceSignedInPage(identity: DevIdentity | undefined): Page {
  return page(
    200,
    'Signed in',
    html`<p>The device is signed in. You can close this page and return to your terminal.</p>
${identity === undefined ? undefined : identityList(identity)}`,
  );
}

export function deviceDeniedPage(): Page {
  return messagePage(
    200,
    'Sign-in denied',
    'The device is not signed in. You can close this page and return to your terminal.',
  );
}
