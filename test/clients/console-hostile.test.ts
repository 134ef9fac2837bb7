// Two organizations in one installation, one of them with hostile names and outputs: nothing of the other one reaches the browser, and
// what tenants write is text. And a token of one project.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser/axe.ts';
import {
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  picture,
  startChromium,
} from '../support/browser/console.ts';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answer } from '../support/fixtures/receipts.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const script = '<img src=x onerror="window.attacked=1">';
const address = 'javascript:window.attacked=1';
const canary = 'canary-7c1f0d';

describe.runIf(chromiumProgram)('the console', () => {
  let browser: Browser;
  let mine: Crates;
  let theirs: Crates;

  beforeAll(async () => {
    const fairlead = await sharedFairlead('impatient');
    browser = await startChromium();
    mine = await startCrates(fairlead, 'console-mine');
    theirs = await startCrates(fairlead, `console-${canary}`);
    mine.provider.respond(({ body }, response) => {
      if (body.name.startsWith('bad')) {
        answer(response, 422, {
          error: { code: 'REFUSED', message: `${script} ${'x'.repeat(600)}` },
          log: [`begins ${script}`, 'z'.repeat(600)],
        });
      } else
        answer(response, 200, {
          outputs: { html: script, link: address, long: 'y'.repeat(3_000) },
        });
    });
    const config = { size: 1, owner: script };
    await mine.acme.post('/resources/apply', crate('good', config, { tags: [script] }));
    await mine.acme.post('/resources/apply', crate('bad', config));
    await theirs.acme.post('/resources/apply', crate(canary, { size: 1, owner: canary }));
    await Promise.all([mine.reaches('good', 'ready'), mine.reaches('bad', 'failed')]);
    await theirs.reaches(canary, 'ready');
  });
  afterAll(async () => {
    await mine?.close();
    await theirs?.close();
    await browser?.close();
  });

  it('shows what tenants wrote as text, on every page, and nothing of another organization', async () => {
    const visitor = { organization: 'console-mine', role: 'admin' } as const;
    const tab = await openConsole(browser, mine.fairlead.url, { visitor, width: 360, height: 740 });
    const { page } = tab;
    const visits: readonly (readonly [string, string])[] = [
      ['#/resources', 'box/crate/bad'],
      ['#/resource/box/crate/bad', 'REFUSED'],
      ['#/resource/box/crate/bad?show=config', 'owner'],
      ['#/resource/box/crate/good?show=outputs', address],
      ['#/resource/box/crate/good?show=history', 'console-mine'],
      ['#/resource/box/crate/good?show=uses', 'box/crate/good'],
      ['#/providers', 'box'],
      ['#/providers/box', 'box'],
      ['#/dead-letters', 'REFUSED'],
      ['#/types', 'crate'],
      ['#/types/box/crate', 'crate'],
    ];
    for (const [hash, shown] of visits) {
      await tab.goTo(hash);
      await page.getByText(shown).first().waitFor();
      await expectNoSidewaysScrolling(page);
      await expectAccessible(page);
    }
    await tab.goTo('#/dead-letters');
    await page.getByRole('link', { name: 'Show events' }).click();
    await page.getByRole('link', { name: 'box/crate/bad' }).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await page.getByText(script).first().waitFor();
    await page.getByRole('heading', { name: 'Last lines of the log' }).waitFor();
    await page.getByText(`begins ${script}`).waitFor();
    await picture(page, 'dead-letter-narrow');
    await expectNoSidewaysScrolling(page);
    await expectAccessible(page);
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(await page.locator('a[href^="javascript:" i], main img').count()).toBe(0);
    expect(tab.messages).toEqual([]);

    const received = tab.received.join('\n');
    expect(received).toContain('box/crate/bad');
    expect(received).toContain('event: upsert');
    expect(received).not.toContain(canary);
    expect(await page.content()).not.toContain(canary);
    await tab.close();
  });

  it('shows a token of one project the resources of that project, to read', async () => {
    const { project_id: project = '' } = (await mine.fetched('good')) as { project_id?: string };
    const visitor = { organization: 'console-mine', role: 'editor', project } as const;
    const tab = await openConsole(browser, mine.fairlead.url, { visitor });
    const { page } = tab;
    await page.getByRole('link', { name: 'box/crate/bad' }).first().click();
    await page.getByText('REFUSED').first().waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await pages.allTextContents()).toEqual(['Resources', 'Sets']);
    await tab.goTo('#/sets');
    await page.getByText('No set yet.').waitFor();
    await tab.goTo('#/providers');
    await page.getByText('confined to one project').waitFor();
    expect(tab.messages.filter((each) => !each.includes('/auth/me'))).toEqual([]);
    await tab.close();
  });
});
