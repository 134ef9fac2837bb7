// The command table: every command of the client, in the order of help.
import { type Category, type Command, type CommandRow, categories } from '../command.ts';
import { accountCommands } from './account.ts';
import { buildCommands } from './builds.ts';
import { moreCommands } from './more.ts';
import { namedResourceCommands } from './named-resources.ts';
import { objectCommands } from './objects.ts';
import { providerCommands } from './providers.ts';
import { typeCommands } from './resource-types.ts';
import { resourceCommands } from './resources.ts';
import { troubleCommands } from './trouble.ts';

const tables: Readonly<Record<Category, readonly CommandRow[]>> = {
  Resources: [...resourceCommands, ...namedResourceCommands, ...objectCommands],
  Providers: [...providerCommands, ...buildCommands, ...typeCommands],
  Trouble: troubleCommands,
  Account: accountCommands,
  More: moreCommands,
};

export const commands: readonly Command[] = categories.flatMap((category) =>
  tables[category].map((row) => ({ ...row, category })),
);
