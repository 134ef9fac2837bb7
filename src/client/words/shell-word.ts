// Words of a POSIX shell: every command that is shown can be copied, whoever chose the names in it.

const plain = /^[\w@%+=:,./-]+$/;

/** @returns an argument as a shell takes it literally: in quotes if need be */
export function shellWord(argument: string): string {
  return plain.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/**
 * Tags a sentence with a command: what is inserted behind its first `fairlead` is an argument, or a list of them.
 *
 * @example shell`Its users: fairlead why ${ref} --users`
 */
export function shell(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[] | undefined)[]
): string {
  let isCommand = false;
  return texts.reduce((sentence, text, at) => {
    isCommand ||= texts[at - 1]?.includes('fairlead ') === true;
    const words = [values[at - 1]].flat().map(String);
    return sentence + (isCommand ? words.map(shellWord) : words).join(' ') + text;
  });
}
