// Defines the flags that mean the same for every command.
import type { Flag } from '../terminal/flag.ts';
import { formats } from '../terminal/format.ts';

export const globalFlags: readonly Flag[] = [
  { name: 'context', short: 'C', value: 'NAME', about: 'Context to use', completes: 'context' },
  { name: 'url', value: 'URL', about: 'Address of the API, instead of that of the context' },
  {
    name: 'project',
    short: 'p',
    value: 'PROJECT',
    about: 'Project to use, by name or id',
    completes: 'project',
  },
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    about: `${formats.join(', ')} or value=PATH`,
    completes: formats,
  },
  { name: 'quiet', short: 'q', about: 'Print the result only' },
  { name: 'verbose', short: 'v', about: 'Print each request' },
  { name: 'input', is: 'off', about: 'Never ask' },
  { name: 'color', is: 'off', about: 'Print no colours' },
  { name: 'yes', short: 'y', about: 'Answer every question with yes' },
  { name: 'timeout', value: 'TIME', about: 'Wait no longer than this, such as 5m' },
  {
    name: 'token-file',
    value: 'FILE',
    about: 'Read the token from a file, or from standard input with -',
    completes: 'file',
  },
];
