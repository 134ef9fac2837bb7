import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltFile, buildConsole, gzippedSize } from '../../../packaging/console.ts';

const limit = 60_000;

describe('the built console', () => {
  let files: readonly BuiltFile[] = [];
  beforeAll(async () => {
    files = await buildConsole();
  });

  it('is small', () => {
    expect(gzippedSize(files)).toBeLessThan(limit);
    expect(gzippedSize(files)).toBeGreaterThan(10_000);
  });

  it('consists of a page and files that are named after their contents', () => {
    const names = files.map(({ name }) => name.replace(/-[A-Z0-9]{8}\./, '-HASH.')).sort();
    expect(names).toEqual(['console-HASH.js', 'icon-HASH.svg', 'index.html', 'style-HASH.css']);
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
