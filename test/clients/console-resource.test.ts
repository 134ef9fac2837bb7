// The page of a resource in a real browser: why it failed, an edit that somebody else crosses, a return to a revision, secrets, and
// a deletion with its effect shown first.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser/axe.ts';
import {
  type ConsoleTab,
  chromiumProgram,
  expectNoSidewaysScrolling,
  openConsole,
  picture,
  startChromium,
} from '../support/browser/console.ts';
import { type Crates, crate, startCrates } from '../support/fixtures/crates.ts';
import { answerByName, safe, vault } from '../support/fixtures/vaults.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-resource';
const password = 'correct horse battery';
let crates: Crates;
let browser: Browser;
let admin: ConsoleTab;
let page: Page;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  crates = await startCrates(await sharedFairlead('impatient'), organization);
  await crates.acme.post('/resources/register', vault);
  crates.provider.respond(answerByName);
  const within = '${' + 'box/crate/shelf.outputs.url}';
  for (const body of [
    crate('shelf'),
    crate('broken'),
    crate('sketch', { size: 1 }, { lifecycle_state: 'draft' }),
    crate('waiting', { size: 1 }, { dependencies: [{ ...crate('broken') }].map(tuple) }),
    safe({ size: 1, password, within }, { tags: ['blue', 'a, b'] }),
  ]) {
    expect((await crates.acme.post('/resources/apply', body)).status).toBe(200);
  }
  await crates.reaches('broken', 'failed');
  await stateOf('box/vault/safe', 'ready');
  browser = await startChromium();
  const { url } = crates.fairlead;
  admin = await openConsole(browser, url, { visitor: { organization, role: 'admin' } });
  page = admin.page;
  // A text that a failed test typed is discarded.
  page.on('dialog', (dialog) => void dialog.accept());
}, 120_000);

afterAll(async () => {
  await admin?.close();
  await browser?.close();
  await crates?.close();
});

function tuple({ provider, resource, name }: { provider: string; resource: string; name: string }) {
  return { provider, resource, name };
}

async function stateOf(ref: string, state: string): Promise<void> {
  await eventually(async () => {
    const path = `/resources/${encodeURIComponent(ref)}?deleting=include`;
    expect((await crates.acme.get(path)).body).toMatchObject({ lifecycle_state: state });
  });
}

async function open(ref: string, show = 'why'): Promise<void> {
  await admin.goTo(`#/resource/${ref}?show=${show}`);
  await page.getByRole('heading', { level: 1, name: ref }).waitFor();
}

async function isWell(name: string): Promise<void> {
  await expectAccessible(page);
  await picture(page, name);
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScrolling(page);
  await picture(page, `${name}-narrow`);
  await page.setViewportSize({ width: 1_280, height: 900 });
}

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();

it.runIf(chromiumProgram)(
  'explains a failure, with each attempt, and leads to what helps',
  async () => {
    await open('box/crate/broken');
    await seen(/box\/crate\/broken has failed/);
    const attempts = page.getByRole('listitem').filter({ hasText: /^.Attempt \d/ });
    // The message of an attempt comes with a Kubernetes Event, which may be written after the record.
    await eventually(async () => {
      expect(await attempts.allTextContents()).toEqual([
        expect.stringMatching(/^✗Attempt 1: failed.*ECONNREFUSED <b>broken<\/b>/s),
        expect.stringMatching(/^✗Attempt 2: failed.*second line/s),
      ]);
    });
    await seen('fairlead why box/crate/broken');
    await isWell('resource-why');
    await page.getByRole('link', { name: 'Open the dead letters' }).click();
    expect(page.url()).toMatch(/#\/dead-letters\?cause=[0-9a-f]+$/);
    await open('box/crate/waiting');
    const chain = page.locator('.chain');
    await chain.getByRole('link', { name: 'box/crate/broken' }).waitFor();
    await open('box/crate/none');
    await seen('box/crate/none does not exist.');
  },
);

it.runIf(chromiumProgram)('hides what is sensitive until somebody asks for it', async () => {
  await open('box/vault/safe', 'config');
  await seen(/password: # hidden/);
  expect(await page.content()).not.toContain(password);
  await isWell('resource-config');
  await page.getByLabel('Show sensitive values').check();
  await seen(`password: ${password}`);
  await open('box/vault/safe', 'outputs');
  await seen('•••');
  await isWell('resource-outputs');
  await page.getByRole('button', { name: 'Copy password' }).click();
  await eventually(async () =>
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(password),
  );
  const shown = await page.locator('main').textContent();
  expect(shown).not.toContain(password);
  expect(shown).not.toContain('box://safe');
  await page.getByRole('button', { name: 'Show url' }).click();
  await seen('"box://safe"');
  await page.getByRole('button', { name: 'Show password' }).click();
  await seen(`"${password}"`);
});

it.runIf(chromiumProgram)(
  'keeps an edit that somebody else crosses, and shows what it changes',
  async () => {
    await open('box/vault/safe', 'config');
    await page.getByRole('button', { name: 'Edit …' }).click();
    const config = page.getByLabel('Config, as YAML or JSON');
    const original = await config.inputValue();
    const check = page.getByRole('button', { name: 'Check …' });
    await config.fill(original.replace('size: 1', 'size: 1\nsize: 2'));
    await check.click();
    await seen(/Line \d, column 1: Map keys must be unique/);
    await config.fill(original.replace('size: 1', 'size: 0\nwihtin: a'));
    await check.click();
    await page.getByRole('button', { name: 'config.size' }).waitFor();
    await seen('must be at least 1');
    await seen('unknown field; did you mean within?');
    await isWell('resource-edit');
    const mine = original.replace('size: 1', 'size: 7');
    await config.fill(mine);
    await open('box/vault/safe', 'history');
    const theirs = { password, size: 3 };
    expect((await crates.acme.post('/resources/apply', safe(theirs))).status).toBe(200);
    await open('box/vault/safe', 'config');
    await seen(/was changed meanwhile by console-resource-admin:/);
    await isWell('resource-meanwhile');
    expect(await config.inputValue()).toBe(mine);
    await page.getByLabel('Tags, one on each line').fill('green');
    await check.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('config.size').waitFor();
    // What the check found is what the apply replaces.
    expect(await dialog.locator('.changes').textContent()).toMatch(/config\.size.*3.*7/s);
    await isWell('resource-plan');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await seen('box/vault/safe was applied.');
    await stateOf('box/vault/safe', 'ready');
    const { body } = await crates.acme.get('/resources/box%2Fvault%2Fsafe');
    expect(body).toMatchObject({ config: { size: 7, password }, tags: ['green'] });
  },
);

it.runIf(chromiumProgram)(
  'returns to a revision, without the secrets that no history keeps',
  async () => {
    await open('box/vault/safe', 'history');
    await page.getByRole('button', { name: 'Open revision 2' }).waitFor();
    await isWell('resource-history');
    await page.getByRole('button', { name: 'Open revision 2' }).click();
    await page.getByRole('dialog').getByText('password: # hidden').waitFor();
    await page.getByRole('button', { name: 'Return to this revision …' }).click();
    await seen(/Set them before you apply: config\.password/);
    const config = page.getByLabel('Config, as YAML or JSON');
    const text = await config.inputValue();
    expect(text.split('\n').sort()).toEqual(['', 'password: null', 'size: 3']);
    await config.fill(text.replace('null', 'staple-9'));
    await page.getByRole('button', { name: 'Check …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await eventually(async () => {
      const { body } = await crates.acme.get('/resources/box%2Fvault%2Fsafe');
      expect(body).toMatchObject({ config: { size: 3, password: 'staple-9' } });
    });
    await open('box/vault/safe', 'events');
    await seen('UPDATE succeeded');
    await isWell('resource-events');
  },
);

it.runIf(chromiumProgram)(
  'shows who uses a resource before it is deleted, and follows the deletion',
  async () => {
    await open('box/crate/broken', 'uses');
    await page.getByRole('link', { name: 'box/crate/waiting' }).waitFor();
    await isWell('resource-uses');
    await page.getByRole('button', { name: 'Delete …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'box/crate/waiting' }).waitFor();
    await isWell('resource-delete');
    await dialog.getByText('Delete by force').first().click();
    const force = dialog.getByRole('button', { name: 'Delete by force' });
    expect(await force.isDisabled()).toBe(true);
    await dialog.getByLabel(/Type box\/crate\/broken/).fill('box/crate/broken');
    expect(await force.isEnabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open('box/crate/waiting');
    await page.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await seen('box/crate/waiting was deleted.');
    expect((await crates.acme.get('/resources/box%2Fcrate%2Fwaiting')).status).toBe(404);
  },
);

it.runIf(chromiumProgram)('shows a deletion that has failed, and deletes by force', async () => {
  await crates.acme.post('/resources/apply', crate('held'));
  await crates.reaches('held', 'ready');
  await crates.acme.delete('/resources/box/crate/held');
  await stateOf('box/crate/held', 'failed');
  await admin.goTo('#/resources');
  await page.getByRole('link', { name: /deleting 1$/ }).click();
  await seen('Its deletion failed: Legal hold');
  await seen('fairlead get --deleting --all-projects');
  await picture(page, 'resources-deleting');
  await page.getByRole('link', { name: 'box/crate/held' }).last().click();
  await page.getByRole('heading', { level: 1, name: 'box/crate/held' }).waitFor();
  await seen('Deletion requested');
  await seen(/Legal hold/);
  await isWell('resource-deletion-failed');
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete again' }).waitFor();
  await dialog.getByText('Delete by force').first().click();
  await dialog.getByLabel(/Type box\/crate\/held/).fill('box/crate/held');
  await dialog.getByRole('button', { name: 'Delete by force' }).click();
  await seen('box/crate/held was deleted.');
});

it.runIf(chromiumProgram)('shows how far a provider is, on its page and in rows', async () => {
  expect((await crates.acme.post('/resources/apply', crate('copying'))).status).toBe(200);
  await open('box/crate/copying');
  const bar = page.getByRole('progressbar', { name: 'Progress' });
  await bar.waitFor();
  expect([await bar.getAttribute('value'), await bar.getAttribute('max')]).toEqual([
    '20000',
    '100000',
  ]);
  await seen('20,000 of 100,000 (20 %): Copying rows');
  await isWell('resource-progress');
  await page.emulateMedia({ colorScheme: 'dark' });
  await isWell('resource-progress-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await admin.goTo('#/resources?q=copying');
  const row = page.getByRole('row').filter({ hasText: 'box/crate/copying' });
  await row.getByText('20,000 of 100,000 (20 %): Copying rows').waitFor();
  await row.getByRole('progressbar').waitFor();
  await isWell('resources-progress');
});

it.runIf(chromiumProgram)('counts down to the next attempt', async () => {
  expect((await crates.acme.post('/resources/apply', crate('slow'))).status).toBe(200);
  await open('box/crate/slow');
  await seen(/Attempt 1: failed/);
  await seen(/Attempt 2: starts/);
  await seen(/^in (?:\d+s|1m)$/);
  await isWell('resource-retry');
});

it.runIf(chromiumProgram)(
  'sends a draft when somebody says so, and keeps a text whose resource is gone',
  async () => {
    await open('box/crate/sketch', 'config');
    await page.getByRole('button', { name: 'Edit …' }).click();
    const config = page.getByLabel('Config, as YAML or JSON');
    await config.fill('{"size": 2}');
    await page.getByRole('button', { name: 'Check …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The draft is changed. No provider is called.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('Send to the provider').check();
    await page.getByRole('button', { name: 'Check …' }).click();
    await dialog.getByText(/sent to the provider box/).waitFor();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { level: 1 }).locator('..').getByText('ready').waitFor();
    await page.getByRole('button', { name: 'Edit …' }).click();
    await config.fill('{"size": 12345}');
    expect((await crates.acme.delete('/resources/box%2Fcrate%2Fsketch')).status).toBeLessThan(300);
    await seen('box/crate/sketch was deleted.');
    await seen('{"size": 12345}');
    await isWell('resource-gone');
    await page.getByRole('link', { name: 'All resources' }).click();
    await page.getByRole('heading', { level: 1, name: 'Resources' }).waitFor();
  },
);

it.runIf(chromiumProgram)('offers a viewer nothing that the role does not permit', async () => {
  const { url } = crates.fairlead;
  const viewer = await openConsole(browser, url, { visitor: { organization, role: 'viewer' } });
  await viewer.goTo('#/resource/box/vault/safe?show=config');
  await viewer.page.getByText('Your role does not show').waitFor();
  expect(await viewer.page.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0);
  expect(viewer.received.join('')).not.toContain('staple-9');
  expect(viewer.messages).toEqual([]);
  await viewer.close();
  expect(admin.messages.filter((message) => !/status of (?:4\d\d)/.test(message))).toEqual([]);
});
