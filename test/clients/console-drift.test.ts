// Drift in a real browser, with a provider of the SDK whose objects change behind its back: observed, corrected, declared, and found again
// in the list.
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
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { type Shelf, serveShelf } from '../support/fixtures/observation/served-shelf.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-drift';
let crates: Crates;
let shelf: Shelf;
let browser: Browser;
let editor: ConsoleTab;
let page: Page;

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  crates = await startCrates(await sharedFairlead('impatient'), organization);
  shelf = await serveShelf(crates, 'shelf');
  shelf.boxes.set('net', { size: 3, owner: 'bob' });
  await apply('orders', { size: 20, owner: 'shop' });
  await apply('seen', { size: 1 }, { adopt: { id: 'net' }, management: 'observed' });
  browser = await startChromium();
  const { url } = crates.fairlead;
  editor = await openConsole(browser, url, { visitor: { organization, role: 'editor' } });
  page = editor.page;
}, 120_000);

afterAll(async () => {
  await editor?.close();
  await browser?.close();
  await shelf?.close();
  await crates?.close();
});

async function apply(name: string, config: object, more: object = {}): Promise<void> {
  const tuple = { provider: 'shelf', resource: 'box', name };
  const body = { ...tuple, config, lifecycle_state: 'pending', ...more };
  expect((await crates.acme.post('/resources/apply', body)).status).toBe(200);
  await shows(name, { lifecycle_state: 'ready' });
}

const shows = (name: string, wanted: object) =>
  eventually(async () => {
    expect((await crates.acme.get(`/resources/shelf%2Fbox%2F${name}`)).body).toMatchObject(wanted);
  });

async function open(name: string): Promise<void> {
  await editor.goTo(`#/resource/shelf/box/${name}`);
  await page.getByRole('heading', { level: 1, name: `shelf/box/${name}` }).waitFor();
}

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const panel = () => page.getByRole('region', { name: 'Drift' });
const dialog = () => page.getByRole('dialog');
const state = (word: string) => page.locator('.title .state').filter({ hasText: word }).waitFor();

it.runIf(chromiumProgram)('observes an object now, and corrects it', async () => {
  await open('orders');
  await press('Observe now');
  await seen('shelf/box/orders: In sync: 2 values were compared.');
  expect(await panel().count()).toBe(0);
  shelf.change('orders', { size: 50, owner: 'somebody' });
  await press('Observe now');
  await panel().getByText('2 of 2 compared values differ.').waitFor();
  await state('drifted');
  const row = panel().getByRole('row').filter({ hasText: '/size' });
  expect(await row.getByRole('cell').allTextContents()).toEqual(['20', '50']);
  await expectAccessible(page);
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
  }
  await picture(page, 'resource-drift');
  await press('Correct …');
  await dialog().getByText('gets an UPDATE').waitFor();
  await dialog().getByText('/owner').waitFor();
  await dialog().getByRole('button', { name: 'Correct', exact: true }).click();
  await panel().waitFor({ state: 'detached' });
  await state('ready');
  expect(shelf.boxes.get('orders')).toMatchObject({ size: 20, owner: 'shop' });
});

it.runIf(chromiumProgram)('declares what is there', async () => {
  shelf.change('orders', { size: 50 });
  await press('Observe now');
  await press('Declare what is there …');
  await seen('The config has the values that the provider observed.');
  const config = page.getByLabel('Config, as YAML or JSON');
  expect(await config.inputValue()).toContain('size: 50');
  await press('Check …');
  await dialog().getByText('The resource is changed').waitFor();
  await dialog().getByRole('button', { name: 'Apply', exact: true }).click();
  await seen('shelf/box/orders was applied.');
  await shows('orders', { lifecycle_state: 'ready', config: { size: 50 }, drift: null });
  expect(shelf.boxes.get('orders')).toMatchObject({ size: 50 });
});

it.runIf(chromiumProgram)('shows drift in the list, with its cause', async () => {
  shelf.boxes.delete('orders');
  await open('orders');
  await press('Observe now');
  await panel().getByText('The object does not exist any more.').waitFor();
  await editor.goTo('#/resources');
  await page.getByRole('link', { name: 'drifted 1' }).click();
  await seen('1 of 2 resources');
  const causes = page.getByRole('region', { name: 'Causes' });
  await causes.getByRole('article').getByText('gone').first().waitFor();
  await causes.getByRole('link', { name: 'Open the resource' }).click();
  await press('Correct …');
  await dialog().getByText('gets a CREATE').waitFor();
  await dialog().getByRole('button', { name: 'Correct', exact: true }).click();
  await shows('orders', { lifecycle_state: 'ready', drift: null });
  expect(shelf.did.at(-1)).toBe('create orders');
});

it.runIf(chromiumProgram)('marks what is only observed, and compares nothing of it', async () => {
  await open('seen');
  await page.locator('.title .mark').filter({ hasText: 'read-only' }).waitFor();
  await press('Observe now');
  await seen('shelf/box/seen: The object exists.');
  expect(await panel().count()).toBe(0);
  shelf.boxes.delete('net');
  await press('Observe now');
  await seen('shelf/box/seen: Gone: the object does not exist.');
  await state('pending');
  expect(shelf.did.filter((each) => each.endsWith(' net'))).toEqual([]);
  expect(editor.messages).toEqual([]);
});
