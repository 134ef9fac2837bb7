// The example of docs/providers.md, as a reader would try it.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/providers.md'), 'utf8');

/** @returns the first block of TypeScript after a text */
function blockAfter(text: string): string {
  const [, block] = /```ts\n(.*?)```/s.exec(page.slice(page.indexOf(text))) ?? [];
  if (block === undefined) throw new Error(`docs/providers.md has no block after ${text}`);
  return block;
}

it('compiles and passes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'documented-test-'));
  try {
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    symlinkSync(join(root, 'sdk'), join(modules, 'fairlead'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(modules, '@types/node'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'index.ts'), blockAfter('\n`index.ts`:\n'));
    writeFileSync(join(folder, 'crates.test.ts'), blockAfter('\n## Test a provider\n'));
    const compiler = createRequire(import.meta.url).resolve('typescript/package.json');
    const flags = '--strict --noEmit --target es2024 --module nodenext --types node --skipLibCheck';
    const words = [...flags.split(' '), '--allowImportingTsExtensions', 'crates.test.ts'];
    const [{ stdout }] = await Promise.all([
      run(process.execPath, ['--test'], { cwd: folder }),
      run(process.execPath, [join(dirname(compiler), 'bin/tsc'), ...words], { cwd: folder }),
    ]);
    expect(stdout).toMatch(/pass 2\n[\s\S]*fail 0\n/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
