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
import { crate, startCrates } from '../support/fixtures/crates.ts';
import { answer } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Fairlead } from '../support/servers/fairlead.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

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
  // The list is on the first screen of a small window.
  const first = await page.getByRole('rowheader').first().boundingBox();
  expect(first?.y).toBeLessThan(600);
  await expectAccessible(page);
  await picture(page, 'resources');

  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('region');
  await page.getByText('20 of 305 resources').waitFor();
  await eventually(async () => expect(await causes.getByRole('article').count()).toBe(1));
  await page
    .getByRole('button', { name: "Copy fairlead get '*/*/*region*' --all-projects" })
    .waitFor();
  await filter.press('Escape');
  await page.getByText('305 resources', { exact: true }).waitFor();
  expect(await filter.inputValue()).toBe('');
  expect(page.url()).not.toContain('filter');
  await page.getByRole('link', { name: 'ready 5' }).click();
  await causes.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'ready 5' }).click();

  const cause = causes.getByRole('button', { name: /volume of the storage pool/ });
  await cause.click();
  await causes.getByText('and 235 more').waitFor();
  await expectAccessible(page);
  await cause.click();
  await tab.goTo('#/resources?view=graph&state=ready');
  const graph = page.getByRole('region', { name: 'Graph of the resources' });
  await graph.locator('a', { hasText: 'crates/crate/portal: ready' }).waitFor();
  const heads = await page.evaluate<string>(
    '[...document.querySelectorAll(".graph .head")].map((head) => head.getAttribute("d")).join("")',
  );
  expect(heads.match(/z/g)).toHaveLength(7);
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

  const rollBack = page.getByRole('button', { name: 'Roll back …' });
  // The version serves, so nothing asks for it.
  expect(await rollBack.getAttribute('class')).toBe('');
  await click(rollBack);
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

it.runIf(chromiumProgram)('shows a retry as running while a handler works', async () => {
  const organization = 'console-slow-night';
  const crates = await startCrates(fairlead, organization);
  let working: Promise<void> = Promise.resolve();
  let end = () => {};
  crates.provider.respond(({ body: { name } }, response) => {
    const error = { code: 'UNAVAILABLE', message: `${name} did not answer within 30 s` };
    void working.then(() => answer(response, 500, { error }));
  });
  await crates.acme.post('/resources/apply', crate('alone'));
  await crates.reaches('alone', 'failed');
  const slow = await openConsole(browser, fairlead.url, {
    visitor: { organization, role: 'admin' },
    hash: '#/dead-letters',
  });
  const cause = slow.page.getByRole('article');
  await cause.getByText('alone did not answer within 30 s').waitFor();
  expect(await cause.getByText('UNAVAILABLE').count()).toBe(1);

  working = new Promise((resolve) => {
    end = resolve;
  });
  await cause.getByRole('button', { name: 'Retry 1 …' }).click();
  const dialog = slow.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Retry 1 event' }).click();
  await dialog.getByText('its handler works').waitFor();
  // Its dead letter is gone since it was sent.
  await slow.page.getByText('No event has failed permanently.').waitFor();
  await dialog.getByText('0 of 1 retried').waitFor();
  expect(await dialog.getByRole('status').textContent()).toContain('running');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  const box = slow.page.getByRole('region', { name: 'Retry' });
  await box.getByText('its handler works').waitFor();
  expect(await box.getByRole('progressbar').getAttribute('value')).toBe('0');

  end();
  await box.getByText('a cause failed again').waitFor();
  await expectAccessible(slow.page);
  await box.getByRole('button', { name: 'Close' }).click();
  await box.waitFor({ state: 'detached' });
  await cause.waitFor();
  expect(slow.messages).toEqual([]);
  await slow.close();
  await crates.close();
});
