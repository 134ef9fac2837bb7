// The console in a real Chromium: signed in by the form of the issuer, as a person does, with everything that the browser received
// and every message of its console.
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { findChromium, launchChromium } from './chromium.ts';

/** Undefined where there is no Chromium for this system. */
export const chromiumProgram = await findChromium();

if (chromiumProgram === undefined) {
  process.stderr.write(
    '\nSKIPPED: there is no Chromium for this system, so the pages of the console are not tested. FAIRLEAD_TEST_BROWSER names one.\n\n',
  );
}

/** @throws without a Chromium: such tests are skipped by `it.runIf(chromiumProgram)` */
export async function startChromium(): Promise<Browser> {
  if (chromiumProgram === undefined) throw new Error('there is no Chromium for this system');
  return await launchChromium(chromiumProgram);
}

export interface Visitor {
  readonly organization: string;
  readonly role: 'viewer' | 'editor' | 'admin';
  readonly project?: string;
}

export interface ConsoleTab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Messages of the browser's console, and errors of scripts. */
  readonly messages: string[];
  /** Bodies of all answers, and of streams what has arrived. */
  readonly received: string[];
  /** Opens a page of the console, such as `#/providers`, without a reload. */
  goTo(hash: string): Promise<void>;
  close(): Promise<void>;
}

export interface TabOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** Opens a tab that has not loaded anything yet. */
export async function openTab(browser: Browser, options: TabOptions = {}): Promise<ConsoleTab> {
  const { width = 1_280, height = 900, colorScheme = 'light' } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const messages: string[] = [];
  const received: string[] = [];
  page.on('console', (message) => messages.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => messages.push(error.stack ?? error.message));
  await record(await context.newCDPSession(page), received);
  return {
    page,
    context,
    messages,
    received,
    // As text: the types of tests have no browser in them.
    goTo: (hash) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`),
    close: () => context.close(),
  };
}

/** Opens the console of an API, and signs in at its issuer. */
export async function openConsole(
  browser: Browser,
  url: string,
  { visitor, hash = '', ...options }: TabOptions & { visitor: Visitor; hash?: string },
): Promise<ConsoleTab> {
  const tab = await openTab(browser, options);
  await tab.page.goto(`${url}/console/${hash}`);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(tab.page, visitor);
  return tab;
}

/** Fills the form of the issuer; resolves when the console is back. */
export async function signIn(page: Page, { organization, role, project }: Visitor): Promise<void> {
  await page.getByLabel('Organization').fill(organization);
  await page.getByRole('radio', { name: role }).check();
  if (project !== undefined) await page.getByLabel('Project').fill(project);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/** Streams have no body that ends, so the protocol of the developer tools hands over each piece. */
async function record(session: CDPSession, received: string[]): Promise<void> {
  const streams = new Set<string>();
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.mimeType !== 'text/event-stream') return;
    streams.add(requestId);
    session.send('Network.streamResourceContent', { requestId }).then(
      ({ bufferedData }) => received.push(Buffer.from(bufferedData, 'base64').toString()),
      () => undefined,
    );
  });
  session.on('Network.dataReceived', ({ requestId, data }) => {
    if (streams.has(requestId) && data !== undefined) {
      received.push(Buffer.from(data, 'base64').toString());
    }
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    if (streams.has(requestId)) return;
    session.send('Network.getResponseBody', { requestId }).then(
      ({ body }) => received.push(body),
      // Of a page that was left.
      () => undefined,
    );
  });
  await session.send('Network.enable');
}

/** The pages are 360 px wide on a small phone: nothing may be cut off or scroll sideways. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const excess = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(excess).toBeLessThanOrEqual(0);
}

/** Writes pictures of a page, light and dark, into the folder of FAIRLEAD_PICTURES; nothing without it. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['FAIRLEAD_PICTURES'];
  if (folder === undefined) return;
  // A notice covers what is below it, and goes by itself.
  await expect.poll(() => page.locator('.notices p').count(), { timeout: 10_000 }).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
