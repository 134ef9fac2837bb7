// Runs git, and nothing else of the client does. A repository may name commands in its configuration, and archives and clones bring
// such repositories, so git only lists files, and every setting of which it would run a command is overridden.
import { parse } from 'node:path';
import type { Environment } from '../../terminal/environment.ts';

const overrides: readonly string[] = [
  // A folder within a clone may look like a repository of its own.
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
];

/** Set by git for its hooks, where they would lead to another repository. */
const ofHooks: readonly string[] = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX'];

/** @returns the paths of `git ls-files -z` in a folder; undefined where git cannot list any */
export function gitFiles(
  folder: string,
  flags: readonly string[],
  { variables }: Environment,
): readonly string[] | undefined {
  const words = [
    ...overrides.flatMap((setting) => ['-c', setting]),
    ...['-C', folder, 'ls-files', '--exclude-standard', '-z', ...flags],
  ];
  const { status, stdout } = process
    .getBuiltinModule('node:child_process')
    .spawnSync('git', words, {
      // Windows runs programs of the working folder first.
      cwd: parse(folder).root,
      env: gitEnvironment(variables),
      encoding: 'utf8',
      maxBuffer: 268_435_456,
    });
  if (status !== 0) return undefined;
  return stdout.split('\0').filter((path) => path !== '');
}

function gitEnvironment(variables: Environment['variables']): Environment['variables'] {
  const kept = Object.entries(variables).filter(([name]) => !ofHooks.includes(name));
  return {
    ...Object.fromEntries(kept),
    // The index is not refreshed, which would call hooks.
    GIT_OPTIONAL_LOCKS: '0',
    // A partial clone fetches missing objects with commands of its configuration: older versions know only the second variable.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}
