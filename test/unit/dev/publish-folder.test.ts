import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { publishFolder } from '../../../src/dev/publish-folder.ts';

let work: string;

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'fairlead-publish-'));
});

afterEach(() => rmSync(work, { recursive: true, force: true }));

function madeBy(name: string): string {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'program'), name);
  return folder;
}

it('keeps the folder of the first process, which may run programs of it, and removes that of the second', () => {
  const place = join(work, 'cache', 'v1');
  publishFolder(madeBy('first'), place);
  publishFolder(madeBy('second'), place);
  expect(readFileSync(join(place, 'program'), 'utf8')).toBe('first');
  expect(readdirSync(work)).toEqual(['cache']);
});

it('reports other failures', () => {
  expect(() => publishFolder(join(work, 'missing'), join(work, 'cache', 'v1'))).toThrow('ENOENT');
});
