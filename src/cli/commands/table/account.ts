// Commands for logins, contexts and projects.
import type { Argument, CommandRow } from '../command.ts';

const contextName: Argument = { name: 'NAME', about: 'Name of a context', completes: 'context' };
const projectId: Argument = {
  name: 'PROJECT',
  about: 'Name or id of a project',
  completes: 'project',
};

const logins: readonly CommandRow[] = [
  {
    words: ['login'],
    summary: 'Sign in, with a browser or a code',
    description:
      'Without a browser (over ssh, in a container) the issuer shows a code, if it offers codes. The login is stored for this person only, and is refreshed by itself. A new address becomes a context, once you have agreed to sign in there with its issuer; --yes agrees.',
    arguments: [{ name: 'URL', about: 'Address of the API', optional: true }],
    flags: [
      { name: 'device', about: 'Sign in with a code on another device' },
      { name: 'browser', about: 'Sign in with a browser, even if none is found' },
      { name: 'with-token', about: 'Read a token from standard input, and store it' },
      { name: 'issuer', value: 'URL', about: 'Issuer, if the API names several or none' },
      { name: 'client-id', value: 'ID', about: 'Client at the issuer' },
      { name: 'scope', value: 'SCOPE', about: 'Scope to ask for' },
      { name: 'audience', value: 'TEXT', about: 'Audience to ask for' },
    ],
    examples: {
      'fairlead login https://fairlead.example.org': 'a new context',
      'fairlead login': 'the current context, after its login has ended',
    },
    operations: ['getMe', 'getProtectedResource'],
    load: async () => (await import('../account/login.ts')).login,
  },
  {
    words: ['logout'],
    summary: 'Revoke and delete the login',
    flags: [{ name: 'all', about: 'Every login' }],
    load: async () => (await import('../account/logout.ts')).logout,
  },
  {
    words: ['token'],
    summary: 'Print a token, refreshed if it is about to expire',
    flags: [
      { name: 'header', about: 'Print the header of a request' },
      { name: 'min-valid', value: 'TIME', about: 'Refresh unless it is valid for so long' },
      { name: 'exec-credential', about: 'Print what kubectl expects of a credential plugin' },
    ],
    examples: {
      'curl -H "$(fairlead token --header)" https://fairlead.example.org/auth/me':
        'a request of another program',
    },
    load: async () => (await import('../account/token.ts')).token,
  },
  {
    words: ['whoami'],
    summary: 'Show organization, role and project of the login',
    operations: ['getMe'],
    load: async () => (await import('../account/whoami.ts')).whoami,
  },
];

const contexts: readonly CommandRow[] = [
  {
    words: ['context', 'list'],
    isDefault: true,
    summary: 'List contexts',
    load: async () => (await import('../account/context.ts')).contextList,
  },
  {
    words: ['context', 'use'],
    summary: 'Make a context the current one',
    arguments: [contextName],
    load: async () => (await import('../account/context.ts')).contextUse,
  },
  {
    words: ['context', 'current'],
    summary: 'Print the name of the context that commands use here',
    load: async () => (await import('../account/context.ts')).contextCurrent,
  },
  {
    words: ['context', 'set'],
    summary: 'Add or change a context: its --url, --project and --output',
    arguments: [contextName],
    examples: {
      'fairlead context set prod --url https://fairlead.example.org --project billing':
        'a context with a project',
    },
    load: async () => (await import('../account/context.ts')).contextSet,
  },
  {
    words: ['context', 'delete'],
    summary: 'Delete a context',
    arguments: [contextName],
    load: async () => (await import('../account/context.ts')).contextDelete,
  },
];

const projects: readonly CommandRow[] = [
  {
    words: ['project', 'list'],
    isDefault: true,
    summary: 'List projects',
    operations: ['listProjects'],
    load: async () => (await import('../account/project.ts')).projectList,
  },
  {
    words: ['project', 'create'],
    summary: 'Create a project, and print its id',
    arguments: [{ name: 'NAME', about: 'Name for people' }],
    flags: [{ name: 'id', value: 'ID', about: 'Permanent id; made of the name by default' }],
    operations: ['createProject'],
    load: async () => (await import('../account/project.ts')).projectCreate,
  },
  {
    words: ['project', 'rename'],
    summary: 'Change the name of a project',
    arguments: [projectId, { name: 'NAME', about: 'New name for people' }],
    operations: ['updateProject'],
    load: async () => (await import('../account/project.ts')).projectRename,
  },
  {
    words: ['project', 'update'],
    summary: 'Change whether a project requires approved plans',
    description:
      'With --require-plan, batches and sets, and changes of single members of sets, are refused without the digest of their plan, which apply --dry-run prints.',
    arguments: [projectId],
    flags: [
      {
        name: 'require-plan',
        is: 'both',
        about: 'Refuse batches and sets without an approved plan',
      },
    ],
    examples: {
      'fairlead project update web-shop --require-plan': 'a person approves each change',
    },
    operations: ['updateProject'],
    load: async () => (await import('../account/project.ts')).projectUpdate,
  },
  {
    words: ['project', 'delete'],
    summary: 'Delete a project without resources',
    arguments: [projectId],
    operations: ['deleteProject'],
    load: async () => (await import('../account/project.ts')).projectDelete,
  },
];

export const accountCommands: readonly CommandRow[] = [...logins, ...contexts, ...projects];
