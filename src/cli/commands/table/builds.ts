// Commands for builds of provider code.
import type { Argument, CommandRow } from '../command.ts';
import { ownProvider } from './providers.ts';

const buildName: Argument = { name: 'BUILD', about: 'Name or version of a build', optional: true };
const ofBuild: Argument = {
  name: 'PROVIDER',
  about: 'A provider, or a build, whose name begins with that of its provider',
  completes: 'provider',
};

export const buildCommands: readonly CommandRow[] = [
  {
    words: ['build', 'list'],
    isDefault: true,
    summary: 'List the builds of a provider, newest first',
    arguments: [ownProvider],
    operations: ['listBuilds'],
    load: async () => (await import('../providers/build.ts')).buildList,
  },
  {
    words: ['build', 'get'],
    summary: 'Show a build',
    arguments: [ofBuild, buildName],
    operations: ['getBuild'],
    load: async () => (await import('../providers/build.ts')).buildGet,
  },
  {
    words: ['build', 'logs'],
    summary: 'Show the log of a build, to its end while it runs',
    arguments: [ofBuild, buildName],
    examples: {
      'fairlead build logs crates-20260131-120000': 'by name',
      'fairlead build logs crates 20260131.120000': 'by version',
    },
    operations: ['getBuildLogs', 'getBuild'],
    load: async () => (await import('../providers/build.ts')).buildLogs,
  },
];
