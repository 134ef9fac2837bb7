// Commands about the client itself.
import type { CommandRow } from '../command.ts';
import { shells } from '../completion/scripts.ts';
import { topics } from '../help/topics.ts';

export const moreCommands: readonly CommandRow[] = [
  {
    words: ['api'],
    summary: 'Send any request to the API, signed in',
    description:
      'Fields become the query of GET and DELETE and the JSON body of other methods, where true, false, null and whole numbers are JSON.',
    arguments: [
      { name: 'METHOD', about: 'Method; GET when only a path is given' },
      { name: 'PATH', about: 'Path of the API, such as /resources/', optional: true },
    ],
    flags: [
      {
        name: 'field',
        short: 'f',
        value: 'NAME=VALUE',
        repeatable: true,
        about: 'Field of the query or of the body',
      },
      {
        name: 'header',
        short: 'H',
        value: 'NAME: VALUE',
        repeatable: true,
        about: 'Header of the request',
      },
      {
        name: 'body',
        short: 'b',
        value: 'FILE',
        about: 'Body of the request; - for standard input',
        completes: 'file',
      },
      { name: 'include', about: 'Print the status and the headers of the answer' },
    ],
    examples: {
      'fairlead api GET /resources/ -f tags=team-a': 'a list',
      'fairlead api POST /projects -f name=Billing': 'a change',
    },
    load: async () => (await import('../api.ts')).api,
  },
  {
    words: ['console'],
    summary: 'Open the console in the browser, signed in as the command line is',
    description:
      'Serves the console of the server on 127.0.0.1 until Ctrl-C, and passes its requests on with the login. The address that it prints works once.',
    flags: [
      { name: 'browser', is: 'off', about: 'Print the address, and open no browser' },
      { name: 'port', value: 'PORT', about: 'Port on 127.0.0.1; any free one by default' },
    ],
    operations: ['getMe'],
    load: async () => (await import('../console.ts')).openConsole,
  },
  {
    words: ['doctor'],
    summary: 'Check server, clock, issuer, login and completion',
    operations: ['getHealth', 'getProtectedResource', 'getMe'],
    load: async () => (await import('../doctor.ts')).doctor,
  },
  {
    words: ['completion'],
    summary: 'Print the completion script of a shell',
    description:
      'bash: source <(fairlead completion bash) in ~/.bashrc; zsh: source <(fairlead completion zsh) in ~/.zshrc after compinit; fish: fairlead completion fish > ~/.config/fish/completions/fairlead.fish.',
    arguments: [{ name: 'SHELL', about: shells.join(', '), completes: shells }],
    load: async () => (await import('../completion/completion.ts')).completion,
  },
  {
    words: ['__complete'],
    hidden: true,
    summary: 'Print the words that may follow, for completion scripts',
    arguments: [
      { name: 'WORD', about: 'Words of the command line', optional: true, repeatable: true },
    ],
    operations: ['listResources', 'listProviders', 'listTypes', 'listProjects'],
    load: async () => (await import('../completion/completion.ts')).complete,
  },
  {
    words: ['version'],
    summary: 'Show the versions of the client and of the server',
    flags: [{ name: 'client', about: 'Ask no server' }],
    operations: ['getProtectedResource', 'getOpenApi'],
    load: async () => (await import('../version.ts')).version,
  },
  {
    words: ['help'],
    summary: 'Show help of a command or of a topic',
    arguments: [
      {
        name: 'TOPIC',
        about: `A command, or ${Object.keys(topics).join(', ')}`,
        optional: true,
        repeatable: true,
      },
    ],
    load: async () => (await import('../help/help.ts')).help,
  },
  {
    words: ['start'],
    hidden: true,
    summary: 'Show what to do next',
    operations: ['listResources', 'getMe'],
    load: async () => (await import('../start.ts')).start,
  },
];
