import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text as pageText } from '../../../src/console/pages/resource/text.ts';
import { counted, text } from '../../../src/console/text.ts';

const source = resolve(import.meta.dirname, '../../../src/console');
const read = (path: string) => readFileSync(join(source, path), 'utf8');
const shared = 'text/en.json';
const files = globSync(['text/*.json', 'pages/**/en.json'], { cwd: source });

describe('the texts of the console', () => {
  it('fill in values, and leave what is missing visible', () => {
    expect(text('time.ago', { age: '3m' })).toBe('3m ago');
    expect(text('time.ago')).toBe('{age} ago');
  });

  it('have a form for one and for others', () => {
    expect(counted('log.dropped', 1)).toBe('1 earlier line is not shown.');
    expect(counted('log.dropped', 2_000)).toBe('2,000 earlier lines are not shown.');
  });

  it('are those of a page and those that all share', () => {
    expect(pageText('resource.all')).toBe('All resources');
    expect(pageText('time.now')).toBe('now');
  });

  it.each(files)(
    'of %s are sorted, each of them is used there, and none is in two files',
    (file) => {
      const keys = Object.keys(JSON.parse(read(file)));
      expect(keys).toEqual(keys.toSorted());
      // A text that several pages show is shared.
      const folder = file === shared ? '' : dirname(file);
      const code = globSync(join(folder, '**/*.{ts,tsx}'), { cwd: source }).map(read);
      expect(keys.filter((key) => !isUsed(key, code.join('\n')))).toEqual([]);
      const others = files.filter((each) => each !== file).map(read);
      expect(keys.filter((key) => others.some((each) => each.includes(`"${key}":`)))).toEqual([]);
    },
  );

  it.each(files)('of %s have a place for values exactly where code gives some', (file) => {
    const texts = new Map<string, string>(Object.entries(JSON.parse(read(file))));
    const folder = file === shared ? '' : dirname(file);
    const code = globSync(join(folder, '**/*.{ts,tsx}'), { cwd: source }).map(read).join('\n');
    // The first argument may choose between keys.
    const calls = [...code.matchAll(/\btext\(([^(){},]*)(,|\))/g)];
    const wrong = calls.flatMap(([call, chosen = '', end]) =>
      [...chosen.matchAll(/'([^']+)'/g)]
        .map(([, key = '']) => texts.get(key))
        .filter((each) => each?.includes('{') === (end === ')'))
        .map(() => call),
    );
    expect(wrong).toEqual([]);
  });
});

/** A key may also be put together of a group and a name: text(`states.${state}`). */
function isUsed(key: string, code: string): boolean {
  const name = key.replace(/\.(?:one|other)$/, '');
  if (code.includes(`'${name}'`)) return true;
  const parts = name.split('.');
  return parts.some((_, at) => code.includes(`\`${parts.slice(0, at).join('.')}.\${`));
}
