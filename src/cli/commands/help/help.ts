// `fairlead help`: help of a command, of a noun, of a topic, or of the program.

import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import { commandName } from '../command.ts';
import { commands } from '../table/index.ts';
import { commandHelp, groupHelp, programHelp } from './page.ts';
import { topics } from './topics.ts';

export function help(invocation: Invocation): Promise<void> {
  invocation.output.line(helpText(invocation));
  return Promise.resolve();
}

function helpText({ args, output: { style, width } }: Invocation): string {
  const wanted = args.join(' ');
  if (wanted === '') return programHelp(commands, style, width);
  const topic = topics[wanted];
  if (topic !== undefined) return topic(style, width);
  const command = commands.find((each) => commandName(each) === wanted);
  if (command !== undefined) return commandHelp(command, style, width);
  if (commands.some(({ words }) => words[0] === wanted)) {
    return groupHelp(wanted, commands, { style, width });
  }
  throw usageError(`There is no command and no topic ${wanted}.`, 'fairlead help');
}
