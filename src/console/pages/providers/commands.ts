// The commands that show or do the same as a tab of a provider.
import { shellWord } from '../../../client/words/shell-word.ts';

const ofTab: Readonly<Record<string, (name: string, query: URLSearchParams) => readonly string[]>> =
  {
    versions: (name) => [
      `fairlead provider get ${name}`,
      `fairlead build list ${name}`,
      `fairlead deploy ${name}`,
      `fairlead rollback ${name}`,
    ],
    build: (name, query) => {
      const job = query.get('job');
      return [
        job === null ? `fairlead build logs ${name}` : `fairlead build logs ${shellWord(job)}`,
        'fairlead push',
      ];
    },
    logs: (name, query) => {
      const which = query.get('previous') === 'true' ? '--previous' : '--follow';
      return [`fairlead logs ${name} ${which}${filtersOf(query)}`];
    },
    settings: (name) => [
      `fairlead provider settings get ${name}`,
      `fairlead provider settings set --provider ${name} SETTING`,
    ],
  };

/** @returns the commands for a tab, with what its address selects */
export function commandsOf(name: string, tab: string, query: URLSearchParams): readonly string[] {
  return ofTab[tab]?.(shellWord(name), query) ?? [];
}

/** @returns the command that releases held corrections */
export function releaseCommand(name: string): string {
  return `fairlead provider release-corrections ${shellWord(name)}`;
}

/** Names of filters, which are also the flags of the command. */
const filters = ['since', 'version', 'resource', 'event'] as const;

function filtersOf(query: URLSearchParams): string {
  return filters
    .map((name) => [name, query.get(name) ?? ''] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` --${name} ${shellWord(value)}`)
    .join('');
}
