// Recordings are run again: only output that has changed in words changes the page.
import { describe, expect, it } from 'vitest';
import { comparable, recordAgain } from '../../support/clients/recordings.ts';

const page = (output: string) => `# A page

<!-- recorded -->
\`\`\`console
$ cat > a.yaml <<'EOF'
> name: a
> EOF
$ show a
${output}
$ silent
\`\`\`

\`\`\`console
$ not recorded
\`\`\`
`;

async function again(before: string, now: string) {
  const commands: string[] = [];
  const recorded = await recordAgain(page(before), (command) => {
    commands.push(command);
    return Promise.resolve(command === 'show a' ? now : '');
  });
  return { commands, recorded };
}

describe('a page', () => {
  it('has its commands run in their order, with the lines that continue them', async () => {
    const { commands } = await again('a', 'a');
    expect(commands).toEqual(["cat > a.yaml <<'EOF'\nname: a\nEOF", 'show a', 'silent']);
  });

  it('stays the same when only times and versions differ', async () => {
    const before = '✓ Deploy  20260131.120000  2.2s';
    const { recorded } = await again(before, '✓ Deploy  20261122.130000  12.1s');
    expect(recorded).toBe(page(before));
  });

  it('changes with a word', async () => {
    const { recorded } = await again('a is ready', 'a is ready\nand more');
    expect(recorded).toBe(page('a is ready\nand more'));
  });
});

it.each([
  ['a version', '20260131.120000', '20261122.130000'],
  ['a build', 'crates-20260131-120000', 'crates-20261122-130000-x1'],
  ['an event', 'evt-08b485c42eb17a207f227ca566a61876', 'evt-18b485c42eb17a207f227ca566a61877'],
  ['an age', 'AGE  3s', 'AGE   14m'],
  ['a time', 'until 14:20', 'until 09:01'],
  ['a size', '998 B', '1.1 kB'],
])('does not compare %s', (_, left, right) => {
  expect(comparable(left)).toBe(comparable(right));
});

it.each([
  ['a state', 'ready', 'failed'],
  ['a number of resources', '2 resources', '3 resources'],
  ['a sign', '✓ a', '✗ a'],
])('compares %s', (_, left, right) => {
  expect(comparable(left)).not.toBe(comparable(right));
});
