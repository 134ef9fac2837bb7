#!/usr/bin/env node
// A browser without a screen that signs in: it keeps cookies, follows redirects, and submits the forms of the development
// issuer as a real one does. As a program it is what `BROWSER=` starts: the argument is the URL, the environment the identity.

export interface Visitor {
  readonly organization?: string;
  readonly role?: string;
  readonly project?: string;
  /** For the page that asks for the code of a device. */
  readonly userCode?: string;
  /** Presses the button that ends the sign-in without an identity. */
  readonly refuses?: boolean;
}

export interface Visit {
  /** The page that was shown, or the address at another origin to which the browser was sent and which it did not open. */
  readonly url: URL;
  readonly left: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Browser {
  /** Opens an address, or submits a form to it, and follows redirects within its origin. */
  open(url: string | URL, form?: Readonly<Record<string, string>>): Promise<Visit>;
  /** Opens an address and submits every form until there is none, or until it is sent to another origin. */
  signIn(url: string | URL, visitor?: Visitor): Promise<Visit>;
}

const maxSteps = 12;

/** @returns a browser with no cookies */
export function createBrowser(): Browser {
  const jar = new Map<string, { value: string; path: string }>();
  let page: Visit | undefined;

  async function once(url: URL, form: Readonly<Record<string, string>> | undefined) {
    const cookies = [...jar].filter(([, { path }]) => url.pathname.startsWith(path));
    const cookie = cookies.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { cookie, accept: 'text/html' };
    const answer = await fetch(url, {
      redirect: 'manual',
      ...(form === undefined
        ? { headers }
        : {
            method: 'POST',
            headers: { ...headers, origin: originOf(page) },
            body: new URLSearchParams(form),
          }),
    });
    for (const line of answer.headers.getSetCookie()) keep(line);
    return answer;
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; *path=([^;]*)/i.exec(line)?.[1] ?? '/';
    if (value === '') jar.delete(name);
    else jar.set(name, { value, path });
  }

  async function open(address: string | URL, form?: Readonly<Record<string, string>>) {
    const start = new URL(address);
    let url = start;
    let body = form;
    for (let step = 0; step < maxSteps; step++) {
      if (form !== undefined) requireFormAction(page, url);
      if (url.origin !== start.origin) return visitOf(url, undefined);
      const answer = await once(url, body);
      body = undefined;
      const location = answer.headers.get('location');
      if (location === null) {
        page = await visitOf(url, answer);
        return page;
      }
      url = new URL(location, url);
    }
    throw new Error(`${start.href} redirects without an end`);
  }

  async function signIn(address: string | URL, visitor: Visitor = {}): Promise<Visit> {
    let visit = await open(address);
    for (let step = 0; step < maxSteps; step++) {
      const form = visit.left ? undefined : formIn(visit.text, visitor);
      if (form === undefined) return visit;
      visit = await open(new URL(form.action, visit.url), form.fields);
    }
    throw new Error(`${visit.url.href} shows a form again and again: ${visit.text}`);
  }

  return { open, signIn };
}

async function visitOf(url: URL, answer: Response | undefined): Promise<Visit> {
  if (answer === undefined) return { url, left: true, status: 0, headers: new Headers(), text: '' };
  const { status, headers } = answer;
  return { url, left: false, status, headers, text: await answer.text() };
}

/** Browsers send `null` with a form of a page whose referrer policy is `no-referrer`. */
function originOf(page: Visit | undefined): string {
  const isPrivate = page?.headers.get('referrer-policy') === 'no-referrer';
  return page === undefined || isPrivate ? 'null' : page.url.origin;
}

/** Browsers apply `form-action` of the page also to the redirects that follow its form. @throws when it forbids one */
function requireFormAction(page: Visit | undefined, url: URL): void {
  const policy = page?.headers.get('content-security-policy') ?? '';
  const [, sources] = /form-action ([^;]*)/.exec(policy) ?? [];
  if (page === undefined || sources === undefined) return;
  const isAllowed = sources
    .split(' ')
    .some((source) =>
      source === "'self'"
        ? url.origin === page.url.origin
        : source === `${url.protocol}//${url.hostname}:*`,
    );
  if (!isAllowed) throw new Error(`form-action ${sources} forbids the way to ${url.href}`);
}

interface Form {
  readonly action: string;
  readonly fields: Record<string, string>;
}

/** Fills the form of a page, and presses one of its buttons. @returns undefined for a page without a form */
function formIn(text: string, visitor: Visitor): Form | undefined {
  const [, action] = /<form method="post" action="([^"]*)"/.exec(text) ?? [];
  if (action === undefined) return undefined;
  const names = new Set([...text.matchAll(/ name="([^"]*)"/g)].map(([, name = '']) => name));
  const fields: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
  )) {
    fields[name] = unescaped(value);
  }
  if (names.has('organization')) {
    const { organization = 'acme', role = 'editor', project = '' } = visitor;
    Object.assign(fields, { organization, role, project });
  }
  if (names.has('user_code')) fields['user_code'] ??= visitor.userCode ?? '';
  const buttons = visitor.refuses === true ? ['cancel', 'abort'] : ['confirm', 'logout'];
  for (const each of buttons) if (names.has(each)) fields[each] = 'yes';
  return { action: unescaped(action), fields };
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? '');
}

/** The variables by which a test chooses the identity that the program signs in. */
export const browserVariables = {
  organization: 'TEST_BROWSER_ORGANIZATION',
  role: 'TEST_BROWSER_ROLE',
  project: 'TEST_BROWSER_PROJECT',
  userCode: 'TEST_BROWSER_USER_CODE',
  /** `yes` cancels the sign-in. */
  refuses: 'TEST_BROWSER_REFUSES',
} as const;

async function main(): Promise<void> {
  const value = (name: keyof typeof browserVariables) => process.env[browserVariables[name]];
  const visit = await createBrowser().signIn(process.argv[2] ?? '', {
    organization: value('organization') ?? 'acme',
    role: value('role') ?? 'editor',
    project: value('project') ?? '',
    userCode: value('userCode') ?? '',
    refuses: value('refuses') === 'yes',
  });
  // The client that waits for the answer listens there.
  const status = visit.left ? (await fetch(visit.url)).status : visit.status;
  if (status >= 400) throw new Error(`${visit.url.href} answered ${status}: ${visit.text}`);
}

if (import.meta.main) await main();
