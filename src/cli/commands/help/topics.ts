// Topics of `fairlead help TOPIC`, beside the commands.
import { exitCodeMeanings } from '../../terminal/exit-codes.ts';
import type { Style } from '../../terminal/style.ts';
import { aligned } from '../../terminal/table.ts';
import { globalHelp } from './page.ts';

/** Each topic: its lines, for a style and the width of the terminal. */
export const topics: Readonly<Record<string, (style: Style, width?: number) => string>> = {
  flags: (style, width) => globalHelp(style, width),
  'exit-codes': (_, width) =>
    aligned(
      Object.entries(exitCodeMeanings).map(([code, meaning]) => [code, meaning]),
      width,
    ).join('\n'),
  output: (_, width) =>
    [
      'The result goes to standard output; progress, warnings and questions go to standard error.',
      ...aligned(
        [
          ['table', 'columns for people (the default)'],
          ['wide', 'more columns, times in ISO 8601'],
          ['json', 'the bodies of the API; an array for a list'],
          ['ndjson', 'one JSON object a line'],
          ['yaml', 'documents that apply accepts'],
          ['manifest', 'documents that kubectl, Flux and Argo CD accept, of resources'],
          ['name', 'names that other commands accept, one a line'],
          ['value=PATH', 'one value of each record, such as value=outputs.url'],
        ],
        width,
      ),
      'A terminal shows control characters as escapes such as \\u001b. A pipe gets values as they are.',
    ].join('\n'),
  environment: (_, width) =>
    aligned(
      Object.entries(environmentVariables).map(([name, meaning]) => [name, meaning]),
      width,
    ).join('\n'),
};

/** The variables that the client reads, for help and documentation. */
export const environmentVariables: Readonly<Record<string, string>> = {
  FAIRLEAD_CONTEXT: 'context to use',
  FAIRLEAD_URL: 'address of the API',
  FAIRLEAD_PROJECT: 'project to use',
  FAIRLEAD_OUTPUT: 'output format',
  FAIRLEAD_TOKEN:
    'token, instead of a login; not sent to a context that only fairlead.yaml chooses',
  FAIRLEAD_TOKEN_FILE: 'file with a token, instead of a login',
  BROWSER: 'program that opens the sign-in page',
  VISUAL: 'program of fairlead edit',
  EDITOR: 'program of fairlead edit, without VISUAL',
  NO_COLOR: 'no colours, with any value',
  CI: 'no redrawing and no questions, with any value',
  NODE_EXTRA_CA_CERTS: 'file with certificates of further authorities',
};
