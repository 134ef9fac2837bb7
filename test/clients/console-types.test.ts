// The page of types in a real browser: a form of a schema, a check that rejects, the creation, and schemas that are attacks.
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
import { answer } from '../support/fixtures/receipts.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const organization = 'console-types';
const password = 'correct horse battery';
const attack = '<img src=x onerror="console.log(1)"><script>console.log(2)</script>';
let crates: Crates;
let browser: Browser;
let admin: ConsoleTab;
let page: Page;
const asked: string[] = [];

const vault = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 9, default: 3, description: `Size ${attack}` },
    password: { type: 'string', writeOnly: true },
    mode: { enum: ['open', 'closed'] },
    // The server runs it; the browser never does.
    code: { type: 'string', pattern: '^[a-z]+$', description: 'Lower-case letters' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        properties: { number: { type: 'integer' } },
        required: ['number'],
        additionalProperties: false,
      },
    },
    storage: {
      oneOf: ['disk', 's3'].map((kind) => ({
        type: 'object',
        properties: { kind: { const: kind }, [`${kind}Name`]: { type: 'string' } },
        required: ['kind', `${kind}Name`],
        additionalProperties: false,
      })),
    },
    next: { $ref: '#' },
  },
  required: ['size', 'password', 'code'],
  additionalProperties: false,
};

const many = (count: number, each: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each]));
// Large, but no larger than the API permits.
const wide = {
  type: 'object',
  properties: many(5, { type: 'object', properties: many(200, { type: 'string' }) }),
};

beforeAll(async () => {
  if (chromiumProgram === undefined) return;
  crates = await startCrates(await sharedFairlead('standard'), organization);
  for (const [resource, description, schema] of [
    ['vault', `A vault ${attack} ${'of long words '.repeat(40)}`, vault],
    ['wide', 'Very many fields', wide],
    ['unused', 'Without resources', null],
  ] as const) {
    const retry = { attempts: 3, max_delay_seconds: 9 };
    const identity = {
      outputs: { id: '/id', zone: '/at/zone' },
      adopt: { id: '/id', zone: '/zone' },
    };
    const type = {
      provider: 'box',
      resource,
      description,
      schema,
      tags: ['storage'],
      retry,
      identity,
    };
    expect((await crates.acme.post('/resources/register', type)).status).toBe(200);
  }
  crates.provider.respond(({ body: { name } }, response) =>
    answer(response, 200, { outputs: { url: `box://${name}` } }),
  );
  expect((await crates.acme.post('/resources/apply', crate('shelf'))).status).toBe(200);
  browser = await startChromium();
  const { url } = crates.fairlead;
  admin = await openConsole(browser, url, {
    visitor: { organization, role: 'admin' },
    hash: '#/types',
  });
  page = admin.page;
  // The question whether to leave what was typed.
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
}, 120_000);

afterAll(async () => {
  await admin?.close();
  await browser?.close();
  await crates?.close();
});

const seen = (words: string | RegExp) => page.getByText(words).first().waitFor();

async function isWell(name: string): Promise<void> {
  await expectAccessible(page);
  await picture(page, name);
  await page.setViewportSize({ width: 360, height: 780 });
  await expectNoSidewaysScrolling(page);
  await picture(page, `${name}-narrow`);
  await page.setViewportSize({ width: 1_280, height: 900 });
}

async function open(type: string, show = 'form'): Promise<void> {
  await admin.goTo(`#/types/${type}?show=${show}`);
  await page.getByRole('heading', { level: 1, name: type }).waitFor();
}

it.runIf(chromiumProgram)('lists the types, with the number of their resources', async () => {
  const row = page.getByRole('row', { name: /^box\/crate/ });
  await row.getByText('1', { exact: true }).waitFor();
  await isWell('types-list');
  await page.getByRole('searchbox').fill('STORAGE many');
  await seen('1 type');
  await page.getByRole('searchbox').fill('');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'box/crate' }).waitFor();
  expect(await page.getByRole('link', { name: '1 resource' }).getAttribute('href')).toBe(
    '#/resources?filter=box%2Fcrate',
  );
});

it.runIf(chromiumProgram)('makes a resource in a form of the schema', async () => {
  await open('box/vault');
  const form = page.getByRole('form', { name: 'New resource' });
  const field = (name: string | RegExp) =>
    form.getByLabel(name, { exact: typeof name === 'string' });
  expect(await field(/^size/).inputValue()).toBe('3');
  await seen(/Size <img src=x/);
  const names = await form.locator('[data-config] :is(label, legend) > code').allTextContents();
  expect(names).toEqual(['size', 'password', 'mode', 'code', 'labels', 'ports', 'storage', 'next']);
  await form.getByRole('button', { name: 'Check' }).click();
  // The browser asks for what is missing.
  expect(await page.evaluate('document.activeElement.validity.valueMissing')).toBe(true);
  await field('Name (required)').fill('safe');
  await field(/^password/).fill(password);
  await field(/^code/).fill('UPPER');
  await field(/^mode/).selectOption('closed');
  await form.getByRole('button', { name: 'Add to labels' }).click();
  const labels = form.getByRole('group', { name: 'labels' });
  await labels.getByLabel('Name').fill('team');
  await labels.getByLabel('Value').fill('blue');
  await form.getByRole('button', { name: 'Add to ports' }).click();
  await field(/^number/).fill('80');
  await field('Kind of storage').selectOption('s3');
  await field(/^s3Name/).fill('bucket');
  await field('Tags, one on each line').fill('a, b\nc');
  await form.getByRole('button', { name: 'Add a dependency' }).click();
  await field('Dependency 1').fill('box/crate/shelf');
  await form.getByRole('button', { name: 'Check' }).click();
  await seen(/the marked fields are rejected/);
  await eventually(async () =>
    expect(await page.evaluate('document.activeElement.value')).toBe('UPPER'),
  );
  expect(await field(/^code/).getAttribute('aria-invalid')).toBe('true');
  await isWell('types-rejected');
  await field(/^code/).fill('lower');
  const yaml = await page.getByRole('region', { name: 'As a file' }).last().textContent();
  expect(yaml).toContain('resource: box/vault/safe');
  expect(yaml).toContain('password: # hidden');
  expect(await page.content()).not.toContain(password);
  await form.getByRole('button', { name: 'Check' }).click();
  await seen(/The check passed: box\/vault\/safe is created/);
  expect((await crates.acme.get('/resources/box%2Fvault%2Fsafe')).status).toBe(404);
  await isWell('types-checked');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'box/vault/safe' }).waitFor();
  const { body } = await crates.acme.get('/resources/box%2Fvault%2Fsafe');
  expect(body).toMatchObject({
    config: {
      size: 3,
      password,
      code: 'lower',
      mode: 'closed',
      labels: { team: 'blue' },
      ports: [{ number: 80 }],
      storage: { kind: 's3', s3Name: 'bucket' },
    },
    tags: ['a, b', 'c'],
    dependencies: [{ provider: 'box', resource: 'crate', name: 'shelf' }],
  });
});

it.runIf(chromiumProgram)(
  'does not overwrite a resource that exists, nor lose what was typed',
  async () => {
    await open('box/crate');
    const form = page.getByRole('form', { name: 'New resource' });
    await form.getByLabel('Name (required)').fill('shelf');
    await seen('A resource of this name exists.');
    await form.getByLabel(/^size/).fill('7');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.locator('.error-box').waitFor();
    // The error stands below the row, and moves no other button.
    const rows = ['Check', 'Create'].map(
      async (name) => (await form.getByRole('button', { name }).boundingBox())?.y,
    );
    expect(new Set(await Promise.all(rows)).size).toBe(1);
    await picture(page, 'types-refused');
    expect(await crates.fetched('shelf')).toMatchObject({ config: { size: 1 } });
    await form.getByRole('button', { name: 'Write the config as JSON' }).click();
    const json = form.getByLabel(/^config/);
    await json.fill('{"size": 8,}');
    await form.getByRole('button', { name: 'Check' }).click();
    await seen(/Line 1, column 12/);
    await json.fill('{"size": 8}');
    await form.getByRole('button', { name: 'Show fields' }).click();
    await page.getByRole('link', { name: 'Schema' }).click();
    await page.getByRole('link', { name: 'New resource' }).click();
    expect(await form.getByLabel(/^size/).inputValue()).toBe('8');
    expect(asked).toEqual([]);
    await admin.goTo('#/types');
    await page.getByRole('heading', { level: 1, name: 'Types' }).waitFor();
    expect(asked).toEqual([expect.stringContaining('not applied')]);
  },
);

it.runIf(chromiumProgram)('shows a schema, and unregisters a type without resources', async () => {
  await open('box/vault', 'schema');
  await page.getByRole('rowheader', { name: 'ports[].number', exact: true }).waitFor();
  await seen('Not all of the schema is listed');
  await page.locator('dt:text("Attempts of an event") + dd:text-is("3")').waitFor();
  await page.locator('dt:text("Identity") + dd:text-is("id, zone")').waitFor();
  await page
    .locator('dt:text("Longest wait between attempts") + dd:text-is("9 seconds")')
    .waitFor();
  await isWell('types-schema');
  // Far more fields than a form has.
  await open('box/wide');
  await page.getByLabel('Set p0').check();
  expect(await page.getByLabel('p199').count()).toBe(1);
  await page.getByLabel('p4 (as JSON)').waitFor();
  await page.getByRole('button', { name: 'Unregister …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Unregister box/wide' }).click();
  await seen('box/wide was unregistered.');
  await open('box/crate');
  await page.getByRole('button', { name: 'Unregister …' }).click();
  await dialog.getByText('1 resource is of this type.').waitFor();
  await isWell('types-unregister');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it.runIf(chromiumProgram)('offers a viewer nothing that the role does not permit', async () => {
  const { url } = crates.fairlead;
  const viewer = await openConsole(browser, url, {
    visitor: { organization, role: 'viewer' },
    hash: '#/types/box/vault',
  });
  await viewer.page.getByRole('rowheader', { name: 'size', exact: true }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /Unregister|Create/ }).count()).toBe(0);
  expect(viewer.messages).toEqual([]);
  await viewer.close();
  expect(admin.messages.filter((message) => !/status of (?:4\d\d)/.test(message))).toEqual([]);
});
