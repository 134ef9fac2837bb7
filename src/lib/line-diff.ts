// The difference of two texts by lines, with some lines around each change, as in unified diffs.

export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '…';
  readonly text: string;
}

/** Lines of texts that differ in more are shown as removed and added as a whole. */
const maxCompared = 4_000_000;

/** @returns the changed lines and `around` lines beside them; `…` stands for what is left out between them */
export function lineDiff(before: string, after: string, around = 2): readonly DiffLine[] {
  const [left, right] = [linesIn(before), linesIn(after)];
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(left.length, right.length) - start &&
    left.at(-1 - end) === right.at(-1 - end)
  ) {
    end += 1;
  }
  const middle = changedLines(
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
  );
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: ' ', text }));
  const all = [...same(left.slice(0, start)), ...middle, ...same(left.slice(left.length - end))];
  return linesNearChanges(all, around);
}

function linesIn(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence of lines. */
function changedLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  if ((right.length + 1) * (left.length + 1) > maxCompared)
    return [...removed(left), ...added(right)];
  const common = commonLengths(left, right);
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    const [one = '', other = ''] = [left[row], right[column]];
    if (one === other) lines.push({ sign: ' ', text: one });
    else if (common(row + 1, column) >= common(row, column + 1))
      lines.push({ sign: '-', text: one });
    else lines.push({ sign: '+', text: other });
    const { sign } = lines.at(-1) ?? {};
    if (sign !== '+') row += 1;
    if (sign !== '-') column += 1;
  }
  return [...lines, ...removed(left.slice(row)), ...added(right.slice(column))];
}

/** @returns how many lines the rest of both have in common, from a line of each on */
function commonLengths(left: readonly string[], right: readonly string[]) {
  const width = right.length + 1;
  const lengths = new Uint32Array(width * (left.length + 1));
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return at;
}

function removed(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign: '-', text }));
}

function added(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign: '+', text }));
}

function linesNearChanges(lines: readonly DiffLine[], around: number): readonly DiffLine[] {
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ sign }) => sign !== ' ');
  return lines.flatMap((line, at) => {
    if (isNear(at)) return [line];
    return at > 0 && isNear(at - 1) && lines.slice(at).some(({ sign }) => sign !== ' ')
      ? [{ sign: '…', text: '' }]
      : [];
  });
}
