// Commands for logins, contexts and projects.
import type { Command } from '../command.ts';

export const accountCommands: readonly Command[] = [];
