// Renders the sign-in page, where users pick an identity, and the pages where they sign out.
import { type DevIdentity, type IdentityField, type InvalidIdentity, roles } from '../identity.ts';
import { alert, messagePage, type Page, page } from './frame.ts';
import { type Html, html } from './html.ts';

/** The values of the form, as they were submitted. */
interface Choice {
  readonly organization: string;
  readonly role: string;
  readonly project: string;
}

const firstChoice: Choice = { organization: 'acme', role: 'admin', project: '' };

const abilities: Readonly<Record<(typeof roles)[number], string>> = {
  viewer: 'reads',
  editor: 'changes resources',
  admin: 'manages everything',
};

interface SignInPage {
  readonly action: string;
  /** The name of the client that asks. */
  readonly client: string;
  readonly choice?: Choice | undefined;
  readonly invalid?: InvalidIdentity | undefined;
}

/** @param invalid what is wrong with the last choice, which the form then keeps */
export function signInPage({ action, client, choice = firstChoice, invalid }: SignInPage): Page {
  const field = (name: IdentityField) => attributesOf(name, invalid?.field);
  return page(
    invalid === undefined ? 200 : 422,
    'Sign in',
    html`${alert(invalid?.message)}
<p>The <strong>${client}</strong> asks you to sign in. This issuer is for development and evaluation: it accepts any identity without a password.</p>
<form method="post" action="${action}">
<div class="field">
<label for="organization">Organization</label>
<input type="text" id="organization" name="organization" required maxlength="256" autocomplete="organization" autocapitalize="none" spellcheck="false" value="${choice.organization}"${field('organization')}${invalid === undefined ? html` autofocus` : undefined}>
</div>
<fieldset role="radiogroup"${field('role')}>
<legend>Role</legend>
${roles.map((role) => roleChoice(role, choice.role))}
</fieldset>
<div class="field">
<label for="project">Project (optional)</label>
<p class="hint" id="project-hint">Restricts the token to one project.</p>
<input type="text" id="project" name="project" maxlength="63" autocomplete="off" autocapitalize="none" spellcheck="false" value="${choice.project}" aria-describedby="project-hint"${field('project')}>
</div>
<div class="actions">
<button>Sign in</button>
<button class="quiet" name="cancel" value="yes" formnovalidate>Cancel</button>
</div>
</form>`,
  );
}

function roleChoice(role: (typeof roles)[number], chosen: string): Html {
  return html`<label class="choice"><input type="radio" name="role" value="${role}" required${role === chosen ? html` checked` : undefined}><b>${role}</b><span class="hint">${abilities[role]}</span></label>`;
}

function attributesOf(name: IdentityField, invalid: IdentityField | undefined): Html | undefined {
  if (name !== invalid) return undefined;
  return html` aria-invalid="true" aria-errormessage="problem" autofocus`;
}

/** Returns a list of the parts of an identity. */
export function identityList({ organization, role, project }: DevIdentity): Html {
  return html`<dl>
<dt>Organization</dt><dd>${organization}</dd>
<dt>Role</dt><dd>${role}</dd>
${project === undefined ? undefined : html`<dt>Project</dt><dd>${project}</dd>`}
</dl>`;
}

interface SignOut {
  readonly action: string;
  /** The secret of the session that protects the form. */
  readonly xsrf: string;
  readonly identity: DevIdentity | undefined;
}

export function signOutPage({ action, xsrf, identity }: SignOut): Page {
  return page(
    200,
    'Sign out',
    html`<p>You are about to sign out in this browser. Logins of the command line stay valid until <code>fairlead logout</code>.</p>
${identity === undefined ? undefined : identityList(identity)}
<form method="post" action="${action}">
<input type="hidden" name="xsrf" value="${xsrf}">
<div class="actions"><button name="logout" value="yes">Sign out</button></div>
</form>`,
  );
}

export function signedOutPage(): Page {
  return messagePage(
    200,
    'Signed out',
    'You are signed out in this browser. You can close this page.',
  );
}
