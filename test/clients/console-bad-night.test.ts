// A bad night, seen in the console: a wrong version, 300 failures, three causes. From the first page to the last retried event in six
// clicks.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser/axe.ts';
import { type BadNight, failures, startBadNight } from '../support/browser/bad-night.ts';
import {
  type ConsoleTab,
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  picture,
  startChromium,
} from '../support/browser/console.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/shared-fairlead.ts';

const visitor = { organization: 'console-bad-night', role: 'admin' } as const;
let fairlead: Fairlead;
let browser: Browser;
let night: BadNight;
let tab: ConsoleTab;
let page: Page;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  [fairlead, browser] = await Promise.all([sharedFairlead('impatient'), startChromium()]);
  night = await startBadNight(fairlead, visitor.organization);
  tab = await openConsole(browser, fairlead.url, { visitor });
  ({ page } = tab);
}, 300_000);

afterAll(async () => {
  await browser?.close();
});

it.runIf(chromiumProgram)('shows three causes for 300 failures', async () => {
  const causes = page.getByRole('region', { name: 'Causes' });
  await eventually(async () => expect(await causes.getByRole('article').count()).toBe(3), 20_000);
  for (const count of Object.values(failures)) {
    await causes.getByText(`${count} resources`, { exact: true }).waitFor();
  }
  await page.getByText('305 resources').waitFor();
  await expectAccessible(page);
  await picture(page, 'resources');
  await tab.goTo('#/resources?view=graph&state=ready');
  await page.getByRole('region', { name: 'Graph of the resources' }).waitFor();
  await expectAccessible(page);
  await picture(page, 'resources-graph');
  await tab.goTo('#/resource/crates/crate/volume-000');
  await page.getByText('read-only').first().waitFor();
  await picture(page, 'resource');
  await tab.goTo('#/types/crates/crate');
  await page.getByRole('textbox', { name: 'Name' }).fill('shelf');
  await picture(page, 'type');
  // The page asks before what was typed is lost.
  page.once('dialog', (question) => void question.accept());
  await tab.goTo('#/resources');
  await page.getByRole('region', { name: 'Causes' }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScrolling(page);
  await page.setViewportSize({ width: 1_280, height: 900 });
});

it.runIf(chromiumProgram)('leads to the retried events in six clicks', async () => {
  let clicks = 0;
  const click = async (target: Locator) => {
    await target.click();
    clicks += 1;
  };
  const { good, wrong } = night;
  await click(
    page
      .getByRole('region', { name: 'Causes' })
      .getByRole('link', { name: 'crates', exact: true })
      .first(),
  );
  await page.getByText(`Version ${wrong} is serving`).waitFor();
  await expectAccessible(page);
  await picture(page, 'provider');

  await click(page.getByRole('button', { name: 'Roll back …' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The configs of all resources fit').waitFor();
  await expectAccessible(page);
  await click(dialog.getByRole('button', { name: 'Roll back', exact: true }));
  await dialog.getByText(`Version ${good} is serving`).waitFor({ timeout: 60_000 });

  await click(dialog.getByRole('link', { name: 'Dead letters' }));
  await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
  const cause = page.getByRole('article').filter({ hasText: 'read-only' });
  await cause.waitFor();
  await expectAccessible(page);
  await picture(page, 'dead-letters');
  await click(cause.getByRole('button', { name: `Retry ${failures.volume}` }));
  await dialog.getByText('The first one is sent alone').waitFor();
  await expectAccessible(page);
  await click(dialog.getByRole('button', { name: `Retry ${failures.volume} events` }));
  await dialog.getByText('240 of 240 retried').waitFor({ timeout: 120_000 });
  expect(clicks).toBeLessThanOrEqual(6);

  await page.keyboard.press('Escape');
  await eventually(async () => {
    const { body } = await night.author.caller.get('/resources/?lifecycle_state=failed');
    expect(body).toHaveLength(failures.quota + failures.region);
  }, 60_000);
  await tab.goTo('#/resources');
  await page.getByRole('link', { name: 'ready 245' }).waitFor();
  expect(tab.messages).toEqual([]);
});
