// Commands for provider code.
import type { Command } from '../command.ts';

export const providerCommands: readonly Command[] = [];
