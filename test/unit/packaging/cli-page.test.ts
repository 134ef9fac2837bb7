import { expect, it } from 'vitest';
import { cliPage } from '../../../packaging/cli-page.ts';
import { commandName } from '../../../src/cli/commands/command.ts';
import { flagText } from '../../../src/cli/commands/help/page.ts';
import { commands } from '../../../src/cli/commands/table/index.ts';
import { exitCodeMeanings } from '../../../src/cli/terminal/exit-codes.ts';

const page = cliPage();

it.each(commands.map((command) => [commandName(command), command] as const))(
  'shows %s, unless it is hidden',
  (name, { hidden, flags = [] }) => {
    const section = page.split(`### fairlead ${name}\n`)[1]?.split('\n### ')[0];
    expect(section === undefined, 'Hidden commands are for programs').toBe(hidden === true);
    for (const flag of flags) {
      if (section !== undefined) expect(section).toContain(flagText(flag).trim());
    }
  },
);

it('shows every exit code', () => {
  for (const code of Object.keys(exitCodeMeanings)) expect(page).toContain(`| ${code} |`);
});
