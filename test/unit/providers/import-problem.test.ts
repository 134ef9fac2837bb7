// What Node says of imports that fail, told with the files of the author. Node itself imports them, in a process of its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { firstLine } from '../../../src/providers/build-step/build.ts';
import { newFolder } from '../../support/runner/folder.ts';

const files = {
  'package.json': '{"type":"module"}',
  'util.ts': 'export const x = 1;',
  'lib/index.ts': 'export const x = 1;',
  'lib/deep.ts': "import '../util';",
  'sized.ts': 'const a = 1;\nexport enum Size { Small }\n',
};

const cases: readonly (readonly [code: string, says: string | undefined])[] = [
  [
    "import './util';",
    'a.ts imports ./util, and files are imported with their extension; write ./util.ts',
  ],
  [
    "import './util.js';",
    'a.ts imports ./util.js, and files are imported with their extension; write ./util.ts',
  ],
  [
    "import './lib';",
    'a.ts imports ./lib, and files are imported with their extension; write ./lib/index.ts',
  ],
  [
    "import './lib/deep.ts';",
    'lib/deep.ts imports ../util, and files are imported with their extension; write ../util.ts',
  ],
  ["import './none.ts';", 'a.ts imports ./none.ts, which does not exist'],
  [
    "import './sized.ts';",
    'SyntaxError in sized.ts, line 2: TypeScript enum is not supported in strip-only mode',
  ],
  [
    "\nimport { y } from './util.ts';",
    "SyntaxError in a.ts, line 2: The requested module './util.ts' does not provide an export named 'y'",
  ],
  ["throw new Error('no database');", undefined],
];

it('names the file, the line and what to write', () => {
  const module = resolve(import.meta.dirname, '../../../src/providers/runtime/import-problem.ts');
  const folders = cases.map(([code]) => {
    const folder = newFolder('imports-');
    mkdirSync(join(folder, 'lib'));
    for (const [name, text] of Object.entries({ ...files, 'a.ts': code })) {
      writeFileSync(join(folder, name), text);
    }
    return folder;
  });
  const program = `
    import { importProblem } from ${JSON.stringify(module)};
    const said = [];
    for (const folder of ${JSON.stringify(folders)}) {
      await import(folder + '/a.ts').catch((thrown) => said.push(importProblem(thrown, folder) ?? null));
    }
    console.log(JSON.stringify(said));`;
  const words = ['--input-type=module', '-e', program];
  const said = execFileSync(process.execPath, words, { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual(cases.map(([, says]) => says ?? null));
});

it('reads the first line of files of the code only', () => {
  const folder = newFolder('first-line-');
  writeFileSync(join(folder, 'build.sh'), '#!/bin/sh\r\nexit 0\r\n');
  expect(firstLine(folder, './build.sh')).toBe('#!/bin/sh\r\n');
  for (const path of ['none.sh', '../etc/passwd', '/etc/passwd', '.']) {
    expect(firstLine(folder, path), path).toBeUndefined();
  }
});
