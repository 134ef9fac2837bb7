// Words of a POSIX shell: every command that is shown can be copied, whoever chose the names in it.

const plain = /^[\w@%+=:,./-]+$/;

/** @returns an argument as a shell takes it literally: in quotes if need be */
export function shellWord(argument: string): string {
  return plain.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
