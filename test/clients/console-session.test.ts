// The session of the console in a real Chromium: sign-in, reload, the end of the token, a lost connection, keys.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/commands/run.ts';
import { expectAccessible } from '../support/browser/axe.ts';
import {
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  openTab,
  signIn,
  startChromium,
} from '../support/browser/console.ts';
import { Buffered, clientEnvironment } from '../support/clients/client.ts';
import { startSwitchingProxy } from '../support/faults/switching-proxy.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

describe.runIf(chromiumProgram)('the session of the console', () => {
  let browser: Browser;
  let fairlead: Fairlead;
  beforeAll(async () => {
    [browser, fairlead] = await Promise.all([startChromium(), sharedFairlead('standard')]);
  });
  afterAll(() => browser?.close());

  const visitor = { organization: 'console-session', role: 'viewer' } as const;

  it('begins at the issuer, leads to the page that was opened, and survives a reload', async () => {
    const tab = await openConsole(browser, fairlead.url, { visitor, hash: '#/types' });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Types', level: 1 }).waitFor();
    // The code is used up, and belongs neither into the history nor into a bookmark.
    expect(page.url()).toBe(`${fairlead.url}/console/#/types`);
    await page.reload();
    await page.getByRole('heading', { name: 'Types', level: 1 }).waitFor();
    expect(page.url()).toBe(`${fairlead.url}/console/#/types`);
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toMatch(/eyJ|code|verifier/);
    expect(tab.messages).toEqual([]);

    await page.locator('summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/session/end?*');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tab.close();
  });

  it('ends with the token, and the sign-in returns to the same page', async () => {
    const tab = await openConsole(browser, fairlead.url, { visitor, hash: '#/providers' });
    const { page } = tab;
    await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
    // As the API refuses a token that has expired.
    await page.route('**/providers/', (route) =>
      route.fulfill({
        status: 401,
        json: { detail: 'The token has expired', code: 'unauthenticated' },
      }),
    );
    const dialog = page.getByRole('dialog', { name: 'Session ended' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor();
    await page.unroute('**/providers/');
    await dialog.getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL(`${fairlead.url}/console/#/providers`);
    await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await tab.close();
  });

  it('explains a sign-in that the person ends, and one of another tab', async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    await page.goto(`${fairlead.url}/console/`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The issuer refused the sign-in').waitFor();
    await expectAccessible(page);
    await page.goto(`${fairlead.url}/console/?code=stolen&state=other`);
    await page.getByText('This sign-in was not begun in this tab').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, visitor);
    expect(tab.messages).toEqual([]);
    await tab.close();
  });

  interface CommandLineOptions {
    readonly url?: string;
    /** Before the browser opens the address. */
    readonly prepare?: (page: Page) => Promise<unknown>;
  }

  /** `fairlead console` as an admin of an organization, until `close`. */
  async function commandLine(organization: string, options: CommandLineOptions = {}) {
    const { url = fairlead.url, prepare = () => undefined } = options;
    const admin = await fairlead.caller(organization, '--role', 'admin');
    const variables = { FAIRLEAD_URL: url, FAIRLEAD_TOKEN: admin.token };
    const [stdout, stop] = [new Buffered(), new AbortController()];
    const environment = clientEnvironment({ variables }, { stdout, stderr: new Buffered() });
    const ended = run(['console', '--no-browser'], environment, stop.signal);
    const address = await eventually(() => new URL(stdout.text.trim()));
    const tab = await openTab(browser);
    await prepare(tab.page);
    await tab.page.goto(address.href);
    const close = async () => {
      await tab.close();
      stop.abort();
      expect(await ended).toBe(0);
    };
    return { admin, address, tab, close };
  }

  const type = { provider: 'box', resource: 'crate' };
  const crate = { ...type, config: {}, lifecycle_state: 'pending' };

  it('is opened by the command line, and goes on when that has signed in again', async () => {
    const { admin, address, tab, close } = await commandLine('console-command-line');
    const { page } = tab;
    await admin.post('/resources/register', { ...type, description: '' });
    // It waits for its provider, so the page asks again and again for the cause.
    await admin.post('/resources/apply', { ...crate, name: 'a' });
    await page.getByRole('region', { name: 'Causes' }).waitFor();
    expect(page.url()).toBe(`${address.origin}/console/`);

    await page.route('**/resources/explanations*', (route) =>
      route.fulfill({ status: 401, json: { detail: 'The token has expired' } }),
    );
    const dialog = page.getByRole('dialog', { name: 'Session ended' });
    await dialog.getByText('fairlead login').waitFor();
    await page.unroute('**/resources/explanations*');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.waitFor({ state: 'detached' });
    await admin.post('/resources/apply', { ...crate, name: 'b' });
    await page.getByText('2 resources', { exact: true }).first().waitFor();
    expect(tab.received.join('\n')).not.toContain(admin.token);
    await close();
  });

  it('says when the connection is lost, and comes back without a reload', async () => {
    const proxy = await startSwitchingProxy([Number(new URL(fairlead.url).port)]);
    const interrupted = Promise.withResolvers<void>();
    let pages = 0;
    const { admin, tab, close } = await commandLine('console-connection', {
      url: proxy.url,
      // The files of the pages that are opened later are asked for when there is no connection.
      prepare: (page) =>
        page.route('**/console/page-*.js', async (route) => {
          pages += 1;
          if (pages > 1) await interrupted.promise;
          await route.continue();
        }),
    });
    const { page } = tab;
    const lost = page.getByText('Connection lost');
    await admin.post('/resources/register', { ...type, description: '' });
    await page.getByText('0 resources').first().waitFor();
    await page.evaluate('window.isSamePage = true');
    proxy.interrupt();
    await lost.waitFor();
    interrupted.resolve();
    await tab.goTo('#/providers');
    await page.getByText('The API does not answer.').waitFor();
    await admin.post('/resources/apply', { ...crate, name: 'meanwhile' });
    proxy.restore();
    await lost.waitFor({ state: 'detached' });
    // Chromium keeps the failure of a file until the page is loaded again.
    await page.getByText('This page did not load').waitFor();
    await tab.goTo('#/resources');
    await page.getByText('1 resource', { exact: true }).first().waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    await tab.goTo('#/providers');
    await page.reload();
    await page.getByText('The organization has no provider.').waitFor();
    await close();
    proxy.close();
  });

  it('has keys, and fits a phone', async () => {
    const tab = await openConsole(browser, fairlead.url, { visitor, width: 360, height: 740 });
    const { page } = tab;
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    await heading('Resources');
    for (const [key, name] of [
      ['p', 'Providers'],
      ['d', 'Dead letters'],
      ['t', 'Types'],
      ['r', 'Resources'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await heading(name);
      await expectNoSidewaysScrolling(page);
    }
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThan(60);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    await heading('Providers');
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' });

    await tab.goTo('#/nonsense');
    await heading('Page not found');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await heading('Dead letters');
    // The natural plural.
    await tab.goTo('#/resources/box/crate/a');
    await page.getByText('box/crate/a does not exist.').waitFor();
    await tab.goTo('#/resources');
    await heading('Resources');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('g p');
    expect(await page.getByRole('searchbox').inputValue()).toBe('g p');
    expect(tab.messages).toEqual([]);
    await tab.close();
  });
});
