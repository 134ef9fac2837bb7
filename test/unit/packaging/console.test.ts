import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltConsole,
  type BuiltFile,
  buildConsole,
  gzippedSize,
  heaviestLoad,
} from '../../../packaging/console.ts';

const limit = 60_000;

describe('the built console', () => {
  let built: BuiltConsole;
  let files: readonly BuiltFile[] = [];
  beforeAll(async () => {
    built = await buildConsole();
    ({ files } = built);
  });

  it('has the teal of the issuer, where a sign-in goes on', () => {
    const source = (path: string) =>
      readFileSync(resolve(import.meta.dirname, '../../../src', path), 'utf8');
    const [, light, dark] =
      /--accent: light-dark\((#\w+), (#\w+)\)/.exec(source('console/style/tokens.css')) ?? [];
    const issuer = source('issuer/pages/style.css').matchAll(/--accent: (#\w+)/g);
    expect([...issuer].map(([, colour]) => colour)).toEqual([light, dark]);
    expect(source('icon.svg')).toContain(light);
  });

  it('is small for who opens a page, and not large in all', () => {
    const names = [...built.loads.keys()].filter((path) => path.endsWith('/page.tsx'));
    const root = resolve(import.meta.dirname, '../../..');
    expect(names.sort()).toEqual(globSync('src/console/pages/*/page.tsx', { cwd: root }).sort());
    expect(heaviestLoad(built)).toBeGreaterThan(20_000);
    expect(heaviestLoad(built)).toBeLessThan(limit);
    // A quarter of it is the parser of YAML, which is loaded when somebody has typed YAML.
    expect(gzippedSize(files)).toBeLessThan(limit * 2.45);
  });

  it('consists of a page and files that are named after their contents', () => {
    const names = files.map(({ name }) => name.replace(/-[A-Z0-9]{8}\./, '-HASH.')).sort();
    expect(new Set(names)).toEqual(
      new Set([
        ...['index.html', 'console-HASH.js', 'style-HASH.css', 'icon-HASH.svg'],
        ...[
          'page-HASH.js',
          'issuer-HASH.js',
          'chunk-HASH.js',
          'dialogs-HASH.js',
          'yaml-text-HASH.js',
        ],
      ]),
    );
  });

  it('needs no inline script or style, and nothing of other hosts', () => {
    const page = Buffer.from(
      files.find(({ name }) => name === 'index.html')?.bytes ?? [],
    ).toString();
    expect(page).not.toMatch(/<style|style=|\son\w+=|<script[^>]*>[^<]/);
    expect(page).not.toMatch(/https?:/);
    const script = Buffer.from(
      files.find(({ name }) => name.endsWith('.js'))?.bytes ?? [],
    ).toString();
    expect(script).not.toMatch(/\beval\(|new Function|process\.env|require\(/);
  });
});
