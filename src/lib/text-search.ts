// Finds many texts in another one at once (Aho and Corasick), in linear time for any input: attackers choose both. Libraries for
// this enumerate every text that ends at a character, or compare whole graphemes, which misses texts that begin within one.

export interface TextSearch {
  /** Characters of the given texts plus moves made so far; it grows linearly with what is built and searched. */
  readonly steps: number;
  /**
   * Calls `found` in the order of the ends, for the longest text that ends there. Each text has a number, `which`.
   * @returns the length of the longest beginning of a text that the searched one ends with
   */
  search(text: string, found: (from: number, to: number, which: number) => void): number;
}

/** The trie in breadth-first order: the children of a state follow each other, sorted, and those of the next state follow them. */
interface Trie {
  readonly states: number;
  /** The first child of each state; the next state's is the end of them. */
  readonly children: Int32Array;
  /** The character that leads to each state. */
  readonly codes: Uint16Array;
  readonly depths: Int32Array;
  /** The length of the longest text that ends in each state, 0 for none. */
  readonly longest: Int32Array;
  /** The number of that text. */
  readonly texts: Int32Array;
}

export function createTextSearch(texts: Iterable<string>): TextSearch {
  const sorted = [...new Set(texts)].filter((text) => text !== '').sort();
  const trie = trieOf(sorted);
  const { depths, longest, texts: numbers } = trie;
  const fallbacks = new Int32Array(trie.states);
  let steps = 0;

  function next(from: number, code: number): number {
    let state = from;
    for (;;) {
      steps += 1;
      const child = childState(trie, state, code);
      if (child !== undefined) return child;
      if (state === 0) return 0;
      state = fallbacks[state] as number;
    }
  }

  // Each fallback is nearer to the root, so it is complete before it is needed.
  for (let state = 0; state < trie.states; state += 1) {
    const end = trie.children[state + 1] as number;
    for (let child = trie.children[state] as number; child < end; child += 1) {
      const code = trie.codes[child] as number;
      const fallback = state === 0 ? 0 : next(fallbacks[state] as number, code);
      fallbacks[child] = fallback;
      if (longest[child] !== 0) continue;
      longest[child] = longest[fallback] as number;
      numbers[child] = numbers[fallback] as number;
    }
  }
  for (const text of sorted) steps += text.length;

  return {
    get steps() {
      return steps;
    },
    search(text, found) {
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        state = next(state, text.charCodeAt(at));
        const length = longest[state] as number;
        if (length > 0) found(at + 1 - length, at + 1, numbers[state] as number);
      }
      return depths[state] as number;
    },
  };
}

/** Bisects: a state may have as many children as there are texts. */
function childState({ children, codes }: Trie, state: number, code: number): number | undefined {
  let low = children[state] as number;
  let high = children[state + 1] as number;
  const end = high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((codes[middle] as number) < code) low = middle + 1;
    else high = middle;
  }
  return low < end && codes[low] === code ? low : undefined;
}

function trieOf(sorted: readonly string[]): Trie {
  // At most: texts that begin alike share their states.
  let most = 1;
  for (const { length } of sorted) most += length;
  const children = new Int32Array(most + 1);
  const depths = new Int32Array(most);
  const longest = new Int32Array(most);
  const texts = new Int32Array(most);
  const codes = new Uint16Array(most);
  /** The last of the sorted texts that begin as each state does, plus one, and the first. */
  const firsts = new Int32Array(most);
  const ends = new Int32Array(most);
  ends[0] = sorted.length;
  let made = 1;
  for (let state = 0; state < made; state += 1) {
    children[state] = made;
    const depth = depths[state] as number;
    const end = ends[state] as number;
    let at = firsts[state] as number;
    // The text that ends here is sorted before those that go on.
    if (at < end && sorted[at]?.length === depth) {
      longest[state] = depth;
      texts[state] = at;
      at += 1;
    }
    while (at < end) {
      const code = (sorted[at] as string).charCodeAt(depth);
      firsts[made] = at;
      while (at < end && (sorted[at] as string).charCodeAt(depth) === code) at += 1;
      ends[made] = at;
      codes[made] = code;
      depths[made] = depth + 1;
      made += 1;
    }
  }
  children[made] = made;
  return { states: made, children, codes, depths, longest, texts };
}
