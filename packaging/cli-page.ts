// Pure. docs/cli.md: every command of the client, its flags, the exit codes and the variables, from the command table.
import {
  type Argument,
  type Category,
  type Command,
  categories,
  commandName,
} from '../src/cli/commands/command.ts';
import { globalFlags } from '../src/cli/commands/global-flags.ts';
import { flagMeaning, flagText, usageOf } from '../src/cli/commands/help/page.ts';
import { environmentVariables } from '../src/cli/commands/help/topics.ts';
import { commands } from '../src/cli/commands/table/index.ts';
import { exitCodeMeanings } from '../src/cli/terminal/exit-codes.ts';
import type { Flag } from '../src/cli/terminal/flag.ts';
import { code, heading, table } from './markdown.ts';

export function cliPage(): string {
  return [
    heading('Command line', 'src/cli/commands/table'),
    introduction,
    ...categories.map(categorySection),
    '## Flags of every command\n',
    flagTable(globalFlags),
    `## Output

The result goes to standard output; progress, warnings, questions and errors go to standard error. With \`-o json\` it is the body of
the API, an array for a list. On a terminal a table fits the width: long names are cut in the middle. Not on a terminal, and with \`-o wide\`,
it is whole.
A terminal shows control characters as escapes; a pipe gets the values of \`-o value=PATH\` as they are.

## Exit codes
`,
    table(['Code', 'Meaning'], Object.entries(exitCodeMeanings)),
    `## Files

| File | Content |
|---|---|
| \`$XDG_STATE_HOME/fairlead/credentials.json\` (\`~/.local/state/fairlead\`; on Windows in \`%LOCALAPPDATA%\`) | Logins: the tokens of \`fairlead login\`, readable by you alone. \`fairlead logout\` removes and revokes one. |
| \`$XDG_CONFIG_HOME/fairlead/config.yaml\` (\`~/.config/fairlead\`; on Windows in \`%APPDATA%\`) | Contexts, without secrets |
| \`fairlead.yaml\` of the working folder or a folder above | Context, project and provider of a checkout |
| \`$XDG_CACHE_HOME/fairlead\` (\`~/.cache/fairlead\`; on Windows in \`%LOCALAPPDATA%\`) | What the client computes again when it is removed |

## Environment
`,
    table(
      ['Variable', 'Meaning'],
      Object.entries(environmentVariables).map(([name, meaning]) => [code(name), meaning]),
    ),
  ].join('\n');
}

const introduction = `\`fairlead\` is the command-line client of Fairlead. It is part of the npm package \`fairlead\`, which provider authors
install; in a checkout, \`npm ci\` builds it, and \`npx fairlead\` runs it. It needs Node.js 24 and no other packages.

\`\`\`sh
fairlead login http://localhost:8000     # opens the browser; the address becomes a context
fairlead init crates && cd crates        # a provider that runs as it is
fairlead push                            # packs, uploads, builds and deploys it
fairlead apply -f greeting.example.yaml  # declares a resource, and waits until it is ready
\`\`\`
`;

function categorySection(category: Category): string {
  const shown = commands.filter((each) => each.category === category && each.hidden !== true);
  if (shown.length === 0) return '';
  const rows = shown.map((each) => [
    `[\`${commandName(each)}\`](#${anchorOf(each)})`,
    each.summary,
  ]);
  return [`## ${category}\n`, table(['Command', ''], rows), ...shown.map(commandSection)].join(
    '\n',
  );
}

/** As GitHub derives it from the heading. */
function anchorOf(command: Command): string {
  return `fairlead-${command.words.join('-').toLowerCase()}`;
}

function commandSection(command: Command): string {
  const { description = [], arguments: args = [], flags = [] } = command;
  const examples = Object.entries(command.examples ?? {});
  const parts = [
    `### fairlead ${commandName(command)}\n`,
    `${[`${command.summary}.`, ...[description].flat().slice(0, 1)].join(' ')}\n`,
    ...[description]
      .flat()
      .slice(1)
      .map((each) => `${each}\n`),
    `\`\`\`\n${usageOf(command)}\n\`\`\`\n`,
    ...(args.length === 0 ? [] : [table(['Argument', 'Meaning'], args.map(argumentRow))]),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...(examples.length === 0
      ? []
      : [
          table(
            ['Example', ''],
            examples.map(([line, about]) => [code(line), about]),
          ),
        ]),
  ];
  return parts.join('\n');
}

function argumentRow({ name, about }: Argument): readonly string[] {
  return [code(name), about];
}

function flagTable(flags: readonly Flag[]): string {
  return table(
    ['Flag', 'Meaning'],
    flags.map((flag) => [code(flagText(flag).trim()), flagMeaning(flag)]),
  );
}
