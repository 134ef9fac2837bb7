// Finds many texts in another one at once (Aho and Corasick), in linear time for any input: attackers choose both. Libraries for
// this enumerate every text that ends at a character, or compare whole graphemes, which misses texts that begin within one.
export function createTextSearch(texts) {
    const sorted = [...new Set(texts)].filter((text) => text !== '').sort();
    const trie = trieOf(sorted);
    const { depths, longest, texts: numbers } = trie;
    const fallbacks = new Int32Array(trie.states);
    let steps = 0;
    function next(from, code) {
        let state = from;
        for (;;) {
            steps += 1;
            const child = childState(trie, state, code);
            if (child !== undefined)
                return child;
            if (state === 0)
                return 0;
            state = fallbacks[state];
        }
    }
    // Each fallback is nearer to the root, so it is complete before it is needed.
    for (let state = 0; state < trie.states; state += 1) {
        const end = trie.children[state + 1];
        for (let child = trie.children[state]; child < end; child += 1) {
            const code = trie.codes[child];
            const fallback = state === 0 ? 0 : next(fallbacks[state], code);
            fallbacks[child] = fallback;
            if (longest[child] !== 0)
                continue;
            longest[child] = longest[fallback];
            numbers[child] = numbers[fallback];
        }
    }
    for (const text of sorted)
        steps += text.length;
    return {
        get steps() {
            return steps;
        },
        search(text, found) {
            let state = 0;
            for (let at = 0; at < text.length; at += 1) {
                state = next(state, text.charCodeAt(at));
                const length = longest[state];
                if (length > 0)
                    found(at + 1 - length, at + 1, numbers[state]);
            }
            return depths[state];
        },
    };
}
/** Bisects: a state may have as many children as there are texts. */
function childState({ children, codes }, state, code) {
    let low = children[state];
    let high = children[state + 1];
    const end = high;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && codes[low] === code ? low : undefined;
}
function trieOf(sorted) {
    // At most: texts that begin alike share their states.
    let most = 1;
    for (const { length } of sorted)
        most += length;
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
        const depth = depths[state];
        const end = ends[state];
        let at = firsts[state];
        // The text that ends here is sorted before those that go on.
        if (at < end && sorted[at]?.length === depth) {
            longest[state] = depth;
            texts[state] = at;
            at += 1;
        }
        while (at < end) {
            const code = sorted[at].charCodeAt(depth);
            firsts[made] = at;
            while (at < end && sorted[at].charCodeAt(depth) === code)
                at += 1;
            ends[made] = at;
            codes[made] = code;
            depths[made] = depth + 1;
            made += 1;
        }
    }
    children[made] = made;
    return { states: made, children, codes, depths, longest, texts };
}
