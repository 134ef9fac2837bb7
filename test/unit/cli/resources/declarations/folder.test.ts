// Which files of a folder are read, and what is said of the others.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readDeclarations } from '../../../../../src/cli/resources/declarations/declaration.ts';
import { clientEnvironment } from '../../../../support/clients/client.ts';
import { newFolder } from '../../../../support/runner/folder.ts';

function surroundings(files: Readonly<Record<string, string>>) {
  const folder = newFolder('declarations-');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return clientEnvironment({ folder });
}

const ofProvider = {
  ...{ 'p/package.json': '{"name":"x"}', 'p/tsconfig.json': '{}', 'p/tsconfig.build.json': '{}' },
  ...{ 'p/settings.local.yaml': 'a: 1', 'p/shop.yaml': 'resource: a/b/c', 'p/src/index.ts': '' },
  ...{ 'p/more/deep/d.yaml': 'resource: a/b/d', 'p/.git/x.json': '{}' },
  'p/node_modules/x/package.json': '{}',
};

it.each([
  [
    false,
    ['a/b/c'],
    'Not read: p/package.json, p/settings.local.yaml, p/tsconfig.build.json, p/tsconfig.json (no declarations); p/more (-R reads sub-folders).',
  ],
  [
    true,
    ['a/b/c', 'a/b/d'],
    'Not read: p/package.json, p/settings.local.yaml, p/tsconfig.build.json, p/tsconfig.json (no declarations).',
  ],
])('[F22] says what it leaves out of a folder, with -R %s', async (isRecursive, refs, sentence) => {
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const read = await readDeclarations(['p'], surroundings(ofProvider), { isRecursive, note });
  expect(read.map(({ ref }) => ref)).toEqual(refs);
  expect(notes).toEqual([sentence]);
});

it('[F22] leaves out nothing that is named itself, and says nothing where all is read', async () => {
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const environment = surroundings({
    'r/a.yaml': 'resource: a/b/a',
    'r/readme.md': '-',
    ...ofProvider,
  });
  await readDeclarations(['r', 'p/shop.yaml'], environment, { note });
  expect(notes).toEqual([]);
  await expect(readDeclarations(['p/package.json'], environment)).rejects.toThrow('1 problem');
  await expect(readDeclarations(['p/more'], environment, { note })).rejects.toThrow(
    'The folder p/more has no YAML or JSON files to read.',
  );
  expect(notes).toEqual(['Not read: p/more/deep (-R reads sub-folders).']);
});
