// Commands that are shown can be copied, whoever chose the names in them.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandFor } from '../../../../src/client/words/next-step.ts';
import { shell, shellWord } from '../../../../src/client/words/shell-word.ts';

const hostile = "x$(touch PWNED)'";
const quoted = `'x$(touch PWNED)'\\'''`;

it.each([
  ['a/b/c', 'a/b/c'],
  ['two words', "'two words'"],
  [hostile, quoted],
  ['', "''"],
])('quotes %j if need be', (word, expected) => {
  expect(shellWord(word)).toBe(expected);
});

it('[C10] quotes what stands behind the name of the program', () => {
  expect(shell`Why: fairlead why ${hostile} --users`).toBe(`Why: fairlead why ${quoted} --users`);
  expect(shell`${hostile} is there.  Look: fairlead get ${['-f', 'a b']}`).toBe(
    `${hostile} is there.  Look: fairlead get -f 'a b'`,
  );
  expect(shell`fairlead history ${'a/b/c'} --revision ${3}`).toBe(
    'fairlead history a/b/c --revision 3',
  );
});

it('[C10] quotes names in the steps that an API advises', () => {
  expect(commandFor({ do: 'explain', why: '', resource: hostile })).toBe(`fairlead why ${quoted}`);
  expect(commandFor({ do: 'set_settings', why: '', provider: 'p', settings: ['a', hostile] })).toBe(
    `fairlead provider settings set --provider p a ${quoted}`,
  );
});

/** A template with a command and something inserted behind it, that no tag quotes. */
const untagged = /(?<![\w)\]])`(?:[^`$]|\$\{[^`{}]*\})*\bfairlead [a-z](?:[^`$]|\$(?!\{))*\$\{/;

it('[C10] is a rule for every command of the client', () => {
  // Besides the files that `init` writes and the scripts of completion, which no name of others enters.
  const paths = globSync('src/cli/**/*.ts').filter(
    (path) => !path.includes('/scaffold/') && !path.endsWith('completion/scripts.ts'),
  );
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => untagged.test(readFileSync(path, 'utf8')))).toEqual([]);
});
