import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { placeSdk } from '../../../src/providers/place-sdk.ts';
import { newFolder } from '../../support/runner/folder.ts';

it('refuses a package that is not built, with the command that builds it', async () => {
  const folder = newFolder('place-');
  const [code, sdk] = [join(folder, 'work/code'), join(folder, 'sdk')];
  mkdirSync(code, { recursive: true });
  mkdirSync(join(sdk, 'sdk'), { recursive: true });
  writeFileSync(join(sdk, 'package.json'), '{}');
  await expect(placeSdk(code, sdk)).rejects.toThrow(/npm run build/);
  writeFileSync(join(sdk, 'sdk/index.js'), '');
  await placeSdk(code, sdk);
  expect(readlinkSync(join(folder, 'work/node_modules/fairlead'))).toBe(sdk);
});
