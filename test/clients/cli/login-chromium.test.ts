// One login of the bundled client in a real Chromium: the pages of the issuer, and the page at which the sign-in ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findChromium, launchChromium } from '../../support/browser/chromium.ts';
import { newHome, spawnClient } from '../../support/clients/client.ts';
import { startClientApi } from '../../support/clients/client-api.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { developmentIssuer } from '../../support/servers/issuers/development-issuer.ts';

const program = await findChromium();

// Without a Chromium for this system it is skipped; FAIRLEAD_TEST_BROWSER names one.
it.runIf(program)('signs in with a real Chromium', async () => {
  if (program === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-chromium-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const issuer = await developmentIssuer();
  onTestFinished(() => issuer.close());
  const api = await startClientApi(issuer);
  onTestFinished(() => api.close());
  const browser = await launchChromium(program);
  onTestFinished(() => browser.close());

  // The client starts this program with the address; the page below opens it.
  const opener = join(folder, 'open');
  writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > "${folder}/address"\n`, { mode: 0o755 });
  const variables = {
    BROWSER: opener,
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  };
  const home = newHome();
  const { result } = await spawnClient(['login', api.url], { home, variables });
  const address = await eventually(
    () => new URL(readFileSync(join(folder, 'address'), 'utf8')).href,
  );

  const page = await browser.newPage();
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  await page.goto(address);
  await page.getByLabel('Organization').fill('umbrella');
  await page.getByRole('radio', { name: 'viewer' }).check();
  await picture('sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await picture('signed-in');

  const { code, stderr } = await result;
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('Signed in to umbrella as '),
  });
  expect(messages).toEqual([]);
  const whoami = await (await spawnClient(['whoami'], { home, variables })).result;
  expect(whoami.stdout).toMatch(/Role +viewer/);

  async function picture(name: string): Promise<void> {
    const pictures = process.env['FAIRLEAD_PICTURES'];
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
  }
});
