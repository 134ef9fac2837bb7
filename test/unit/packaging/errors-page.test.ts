import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorsPage } from '../../../packaging/errors-page.ts';
import { type ErrorCode, errors } from '../../../src/api/errors.ts';
import { Reason } from '../../../src/crds/conditions.ts';
import { migrationFailed, settingsRefused } from '../../../src/domain/event.ts';

import { failureCodes } from '../../../src/domain/failures/failure-codes.ts';
import { sdkFailureCodes } from '../../../src/domain/failures/sdk-failure-codes.ts';

const page = errorsPage();

it.each(Object.keys(errors) as ErrorCode[])('has the code %s with its status', (code) => {
  expect(page).toContain(`\n| \`${code}\` | ${errors[code].status} | `);
});

it.each(Object.values(Reason))('has the reason %s', (reason) => {
  expect(page).toContain(`\n| \`${reason}\` | `);
});

it.each(Object.keys(failureCodes))('has the code %s of a delivery', (code) => {
  expect(page).toContain(`\n| \`${code}\` | `);
});

it('lists the kinds and conditions of a reason', () => {
  expect(page).toContain('| `InvalidConfig` | Resource: Ready, Stalled, DeadLettered |');
  expect(page).toContain('| `Resumed` | none |');
});

it('has exactly the codes of the SDK', async () => {
  const src = join(import.meta.dirname, '../../../src');
  const folders = ['sdk', 'providers/runtime/supervisor'].map(async (folder) =>
    (await readdir(join(src, folder), { recursive: true })).map((name) => join(folder, name)),
  );
  const files = (await Promise.all(folders))
    .flat()
    .filter((name) => name.endsWith('.ts') && !name.startsWith('sdk/testing/'))
    .map((name) => readFile(join(src, name), 'utf8'));
  const text = (await Promise.all(files))
    .join('\n')
    // Examples have codes of authors.
    .replace(/^ +\*.*$/gm, '')
    .replaceAll('migrationFailed', `'${migrationFailed}'`)
    .replaceAll('settingsRefused', `'${settingsRefused}'`);
  const pattern =
    /(?:failure|Refusal|super)\(\s*\d+,\s*'(\w+)'|TerminalFailure\(\s*'(\w+)'|code(?: =|:) '([a-z_]+)'/g;
  const codes = [...text.matchAll(pattern)].map(
    ([, answer, thrown, other]) => answer ?? thrown ?? other,
  );
  expect([...new Set(codes)].sort()).toEqual(Object.keys(sdkFailureCodes).sort());
});
