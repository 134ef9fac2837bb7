// The command table: every command of the client, in the order of help.
import type { Command } from '../command.ts';
import { accountCommands } from './account.ts';
import { buildCommands } from './builds.ts';
import { moreCommands } from './more.ts';
import { namedResourceCommands } from './named-resources.ts';
import { objectCommands } from './objects.ts';
import { providerCommands } from './providers.ts';
import { typeCommands } from './resource-types.ts';
import { resourceCommands } from './resources.ts';
import { troubleCommands } from './trouble.ts';

export const commands: readonly Command[] = [
  ...resourceCommands,
  ...namedResourceCommands,
  ...objectCommands,
  ...providerCommands,
  ...buildCommands,
  ...typeCommands,
  ...troubleCommands,
  ...accountCommands,
  ...moreCommands,
];
