// Numbered lines of a log: ids, and what a client that resumes receives.
import { expect, it } from 'vitest';
import { numbered } from '../../../../src/http/response/numbered-lines.ts';

async function linesAfter(lastId: string | undefined, ...pieces: readonly string[]) {
  async function* source() {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
  }
  const found: string[] = [];
  for await (const { bytes, idOf } of numbered(source(), lastId)) {
    const lines = String(bytes).replace(/\n$/, '').split('\n');
    found.push(...lines.map((line, index) => `${idOf(index)}:${line}`));
  }
  return found;
}

const omitted = '[... 99 bytes of the log are omitted here ...]';

const cases: Record<string, [string | undefined, readonly string[], readonly string[]]> = {
  'all from the first': [undefined, ['a\nb\n', 'c\n'], ['1:a', '2:b', '3:c']],
  'those after the last one': ['1', ['a\nb\n', 'c\n'], ['2:b', '3:c']],
  'those of a later piece': ['2', ['a\nb\n', 'c\n'], ['3:c']],
  'none after the end': ['9', ['a\nb\n'], []],
  'all for an id of something else': ['pod=1+1', ['a\n'], ['1:a']],
  'empty lines': ['1', ['\n\n'], ['2:']],
  'a last line without an end': ['1', ['a\nb'], ['2:b']],
  'everything after an omission': ['9', ['a\n', `${omitted}\n`, 'b\n'], [`2:${omitted}`, '3:b']],
};

it.each(Object.entries(cases))('%s', async (_name, [lastId, pieces, want]) => {
  expect(await linesAfter(lastId, ...pieces)).toEqual(want);
});
