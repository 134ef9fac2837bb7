// Defines the entries of the command table, from which grammar, help, completion and documentation are made.

import type { OperationId } from '../../api/operations.ts';
import type { Invocation } from '../session/invocation.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import type { Completes, Flag } from '../terminal/flag.ts';

export const categories = ['Resources', 'Providers', 'Trouble', 'Account', 'More'] as const;
export type Category = (typeof categories)[number];

export interface Argument {
  /** In capitals, as help shows it. */
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** Takes all that follow; only for the last. */
  readonly repeatable?: true;
  readonly completes?: Completes;
  /** Words that completion offers once one of some flags is given. */
  readonly afterFlag?: { readonly flags: readonly string[]; readonly completes: Completes };
}

/** Carries out a command. @returns the exit code, or nothing when it is done */
export type Run = (invocation: Invocation) => Promise<ExitCode | undefined> | Promise<void>;

/** An entry of a table. */
export interface CommandRow {
  /** Such as `['get']` or `['project', 'list']`. */
  readonly words: readonly [string, ...string[]];
  /** Is also run when only its first word is given, as `dead-letters` lists. */
  readonly isDefault?: true;
  readonly hidden?: true;
  /** One line without a full stop, in the imperative. */
  readonly summary: string;
  /** Further sentences for the help of the command; a list has one paragraph for each item. */
  readonly description?: string | readonly string[];
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  /** Command lines, and what each is about. */
  readonly examples?: Readonly<Record<string, string>>;
  /** The operations of the API that it calls. */
  readonly operations?: readonly OperationId[];
  /** Imports the code of the command, which is loaded only then. */
  readonly load: () => Promise<Run>;
}

export interface Command extends CommandRow {
  readonly category: Category;
}

/** Names the flags that `apply --dry-run` and all other commands that write share. */
export const dryRun: Flag = {
  name: 'dry-run',
  about: 'Check everything on the server and write nothing',
};

/** Name what `apply -f` and all other commands that read declarations read. */
export const fileFlags: readonly Flag[] = [
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    repeatable: true,
    about: 'A file, a folder, or - for standard input',
    completes: 'file',
  },
  { name: 'recursive', short: 'R', about: 'Also the sub-folders of folders' },
];

/** @returns the words of a command as typed after `fairlead` */
export function commandName({ words }: Pick<Command, 'words'>): string {
  return words.join(' ');
}
