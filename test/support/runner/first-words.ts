// Finds comments that do not begin with their subject: such a sentence is true for whoever knows the subject, and a riddle for others.

const first = /^(?:Of|What|That|Those|Whoever)\b/;

/** @returns a line for each comment that begins with one of the words */
export function firstWordProblems(path: string, text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const begun = beginningOf(line, lines[at - 1] ?? '', lines[at + 1] ?? '');
    return begun !== undefined && first.test(begun)
      ? [`${path}:${at + 1} begins a comment with "${begun.split(' ')[0]}"; begin with its subject`]
      : [];
  });
}

/** @returns the text with which a comment begins in the line; undefined when none begins there */
function beginningOf(line: string, before: string, after: string): string | undefined {
  const text = line.trim();
  if (text.startsWith('//')) {
    return before.trim().startsWith('//') ? undefined : text.replace(/^\/+ */, '');
  }
  const block = /^\{?\/\*+ ?(.*)$/.exec(text)?.[1];
  return block === '' ? after.trim().replace(/^\*+ */, '') : block;
}
