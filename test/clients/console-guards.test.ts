// The guards of a resource in a real browser: marks, protection before a deletion, expiry, what a deletion leaves, and a replacement.
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
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-guards';
const string = { type: 'string' };
const properties = { region: { ...string, immutable: true }, size: { type: 'integer' } };
const disk = {
  ...{ provider: 'box', resource: 'disk', description: 'A disk' },
  schema: { type: 'object', properties, additionalProperties: false },
};
let crates: Crates;
let browser: Browser;
let admin: ConsoleTab;
let page: Page;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  crates = await startCrates(await sharedFairlead('impatient'), organization);
  await crates.acme.post('/resources/register', disk);
  const soon = new Date(Date.now() + 1_800_000).toISOString();
  const ending = { paused: true, expires_at: soon, deletion_policy: 'orphan' };
  for (const body of [
    crate('kept'),
    crate('left'),
    crate('kept-for-very-much-longer-than-any-other-crate-of-this-shelf', { size: 1 }, ending),
    { ...crate('fast', { region: 'eu', size: 1 }), resource: 'disk' },
  ]) {
    expect((await crates.acme.post('/resources/apply', body)).status).toBe(200);
  }
  for (const name of ['kept', 'left']) await crates.reaches(name, 'ready');
  await reaches('box/disk/fast', { lifecycle_state: 'ready' });
  browser = await startChromium();
  const { url } = crates.fairlead;
  admin = await openConsole(browser, url, { visitor: { organization, role: 'editor' } });
  page = admin.page;
}, 120_000);

afterAll(async () => {
  await admin?.close();
  await browser?.close();
  await crates?.close();
});

async function reaches(ref: string, wanted: object): Promise<void> {
  await eventually(async () => {
    expect((await crates.acme.get(`/resources/${encodeURIComponent(ref)}`)).body).toMatchObject(
      wanted,
    );
  });
}

async function open(ref: string, show = 'why'): Promise<void> {
  await admin.goTo(`#/resource/${ref}?show=${show}`);
  await page.getByRole('heading', { level: 1, name: ref }).waitFor();
}

const widths = [390, 1_920, 1_280];

async function isWell(name: string): Promise<void> {
  await expectAccessible(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
    await picture(page, `${name}-${width}`);
  }
}

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = () => page.getByRole('dialog');
const mark = (words: string | RegExp) => page.locator('.title .mark').filter({ hasText: words });

it.runIf(chromiumProgram)('protects a resource, and lifts that before it is deleted', async () => {
  await open('box/crate/kept');
  await press('Protect');
  await mark('protected').waitFor();
  await seen('fairlead unprotect box/crate/kept');
  await isWell('guards-protected');
  await press('Expiry …');
  await dialog().getByLabel('Time of the deletion').fill('2099-01-01T10:00');
  await dialog().getByRole('button', { name: 'Set the expiry' }).click();
  await dialog().getByText('A protected resource cannot expire').waitFor();
  await isWell('guards-expiry');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await press('Delete …');
  await dialog().getByText('box/crate/kept is protected, and cannot be deleted.').waitFor();
  expect(
    await dialog()
      .getByRole('button', { name: /Delete/ })
      .count(),
  ).toBe(0);
  await isWell('guards-delete-protected');
  await dialog().getByRole('button', { name: 'Lift the protection' }).click();
  await dialog().getByRole('button', { name: 'Delete', exact: true }).waitFor();
  await mark('protected').waitFor({ state: 'detached' });
  await reaches('box/crate/kept', { protected: false, lifecycle_state: 'ready' });
  await isWell('guards-delete');
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await seen('box/crate/kept was deleted.');
});

it.runIf(chromiumProgram)('sets an expiry, pauses, and says so in list and history', async () => {
  await open('box/crate/left');
  await press('Expiry …');
  const time = dialog().getByLabel('Time of the deletion');
  await time.fill('2020-01-01T10:00');
  await dialog().getByRole('button', { name: 'Set the expiry' }).click();
  await dialog()
    .getByText(/must be a time in the future; it is /)
    .waitFor();
  await time.fill('2099-01-01T10:00');
  await dialog().getByRole('button', { name: 'Set the expiry' }).click();
  await mark(/expires in \d+y/).waitFor();
  await press('Pause');
  await mark('paused').waitFor();
  await press('Expiry …');
  expect(await time.inputValue()).toBe('2099-01-01T10:00');
  await dialog().getByRole('button', { name: 'Clear it' }).click();
  await mark('expires').waitFor({ state: 'detached' });
  // Another apply between the look and the write: neither overwrites the other.
  await page.route('**/resources/*', async (route) => {
    const isChange = route.request().method() === 'PATCH';
    if (isChange) await crates.acme.post('/resources/apply', crate('left', { size: 2 }));
    await route.continue();
  });
  await press('Protect');
  await mark('protected').waitFor();
  await page.unroute('**/resources/*');
  await reaches('box/crate/left', { protected: true, config: { size: 2 } });
  await press('Unprotect');
  await mark('protected').waitFor({ state: 'detached' });
  await open('box/crate/left', 'history');
  await seen(/It expires at .*2099/);
  await seen('It was paused.');
  await seen('It does not expire.');
  await isWell('guards-history');
  await admin.goTo('#/resources');
  const row = page.getByRole('row').filter({ hasText: 'kept-for-very-much-longer' });
  await row.getByText('paused', { exact: true }).waitFor();
  await row.getByText(/^in (?:29|30)m$/).waitFor();
  await row.getByText('orphaned on delete').waitFor();
  await isWell('guards-list');
  await row.getByRole('link').click();
  await mark(/expires in (?:29|30)m/).waitFor();
  await isWell('guards-soon');
});

it.runIf(chromiumProgram)('deletes, and leaves what the provider created', async () => {
  await open('box/crate/left');
  await press('Resume');
  await reaches('box/crate/left', { paused: false, lifecycle_state: 'ready' });
  await press('Delete …');
  await dialog().getByLabel('Leave what the provider created').check();
  await dialog().getByText('what its provider created stays').waitFor();
  await isWell('guards-delete-orphan');
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await seen('box/crate/left was deleted.');
  await admin.goTo('#/dead-letters?show=receipts');
  await seen('What its provider created was left on purpose.');
  await isWell('guards-receipts');
});

it.runIf(chromiumProgram)('replaces a resource when an immutable field changes', async () => {
  await open('box/disk/fast', 'config');
  await press('Edit …');
  await seen('Immutable, so that another value replaces the resource: region');
  const config = page.getByLabel('Config, as YAML or JSON');
  await config.fill('{"region": "us", "size": 1}');
  await press('Check …');
  await dialog().getByText('The resource is replaced:').waitFor();
  await dialog()
    .getByText(/as these fields are immutable: config\.region/)
    .waitFor();
  await isWell('guards-replace');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect((await crates.acme.get('/resources/box%2Fdisk%2Ffast')).body).toMatchObject({
    config: { region: 'eu' },
  });
  await press('Protect');
  await mark('protected').waitFor();
  await press('Check …');
  await seen('Resource box/disk/fast is protected and cannot be replaced');
  await seen(/cannot change once the resource exists/);
  await isWell('guards-replace-refused');
  await press('Unprotect');
  await mark('protected').waitFor({ state: 'detached' });
  await press('Check …');
  await dialog().getByRole('button', { name: 'Replace', exact: true }).click();
  await seen('box/disk/fast was applied.');
  await reaches('box/disk/fast', { lifecycle_state: 'ready', config: { region: 'us' } });
  expect(admin.messages.filter((message) => !/status of (?:4\d\d)/.test(message))).toEqual([]);
});
