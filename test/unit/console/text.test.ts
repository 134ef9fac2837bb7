import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import en from '../../../src/console/text/en.json' with { type: 'json' };
import { counted, text } from '../../../src/console/text.ts';

const source = resolve(import.meta.dirname, '../../../src/console');

describe('the texts of the console', () => {
  it('fill in values, and leave what is missing visible', () => {
    expect(text('time.ago', { age: '3m' })).toBe('3m ago');
    expect(text('time.ago')).toBe('{age} ago');
  });

  it('have a form for one and for others', () => {
    expect(counted('resources.count', 1)).toBe('1 resource');
    expect(counted('resources.count', 2_000)).toBe('2,000 resources');
  });

  it('are sorted, and each of them is used', () => {
    const code = globSync('**/*.{ts,tsx}', { cwd: source })
      .map((path) => readFileSync(resolve(source, path), 'utf8'))
      .join('\n');
    const keys = Object.keys(en);
    expect(keys).toEqual(keys.toSorted());
    const unused = keys.filter((key) => !isUsed(key, code));
    expect(unused).toEqual([]);
  });
});

/** A key may also be put together of a group and a name: text(`states.${state}`). */
function isUsed(key: string, code: string): boolean {
  const name = key.replace(/\.(?:one|other)$/, '');
  if (code.includes(`'${name}'`)) return true;
  const parts = name.split('.');
  return parts.some((_, at) => code.includes(`\`${parts.slice(0, at).join('.')}.\${`));
}
