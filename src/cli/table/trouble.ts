// Commands for failures.
import type { Command } from '../command.ts';

export const troubleCommands: readonly Command[] = [];
