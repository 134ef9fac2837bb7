// The declarations of the SDK, as compilers and editors of authors read them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { typeOptionFields } from '../../../src/domain/type-options.ts';

const folder = resolve(import.meta.dirname, '../../../sdk');
const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const declarations = paths
  .filter((path) => path.endsWith('.d.ts'))
  .map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);

it.each(declarations)('imports nothing that only our compiler resolves in %s', (_path, text) => {
  expect(text).not.toMatch(/(?:from|import\()\s*['"]\.[^'"]*\.ts['"]/);
});

it.each(Object.keys(typeOptionFields))('keeps the documentation of the option %s', (name) => {
  const text = new Map(declarations).get(join('domain', 'type-options.d.ts'));
  expect(text).toMatch(new RegExp(`\\*/\\s+${name}: `));
});
