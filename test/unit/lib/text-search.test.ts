import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextSearch } from '../../../src/lib/text-search.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00'), maxLength: 6 });

/** The same by trying each text at each place. */
function tried(texts: readonly string[], text: string) {
  const found: (readonly [from: number, to: number])[] = [];
  for (let to = 1; to <= text.length; to += 1) {
    const lengths = texts.filter((each) => text.slice(0, to).endsWith(each)).map((e) => e.length);
    const longest = Math.max(0, ...lengths);
    if (longest > 0) found.push([to - longest, to]);
  }
  const begun = texts.flatMap((each) =>
    Array.from({ length: each.length }, (_, index) => each.slice(0, index + 1)),
  );
  const ends = begun.filter((each) => text.endsWith(each)).map((each) => each.length);
  return { found, begun: Math.max(0, ...ends) };
}

function searched(texts: readonly string[], text: string) {
  const found: (readonly [from: number, to: number])[] = [];
  const begun = createTextSearch(texts).search(text, (from, to) => found.push([from, to]));
  return { found, begun };
}

describe('a search for many texts', () => {
  it('finds what trying each of them finds', () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), fc.array(letters), (texts, parts) => {
        const text = parts.join('');
        expect(searched(texts, text)).toEqual(tried(texts, text));
      }),
    );
  });

  const worst: Record<string, readonly string[]> = {
    'overlap with themselves': Array.from({ length: 500 }, (_, n) => `${'a'.repeat(4 + n)}b`),
    'are parts of each other': Array.from({ length: 500 }, (_, n) => 'a'.repeat(4 + n)),
    'begin alike': Array.from({ length: 4_000 }, (_, n) => `aaaa${n}`),
  };

  it.each(Object.entries(worst))('takes linear steps for texts that %s', (_what, texts) => {
    const search = createTextSearch(texts);
    const characters = texts.join('').length;
    expect(search.steps).toBeLessThanOrEqual(3 * characters);
    const before = search.steps;
    const text = 'a'.repeat(100_000);
    search.search(text, () => undefined);
    expect(search.steps - before).toBeLessThanOrEqual(2 * text.length + 1_000);
  });
});
