// Computes the folders of the client: configuration, state and cache, by the XDG Base Directory Specification.
import { join } from 'node:path';
import { type Environment, variableIn } from '../../terminal/environment.ts';

/** Holds config.yaml, which people may edit and share: no secrets. */
const configFolder = folderAt('XDG_CONFIG_HOME', 'APPDATA', '.config');

/** Holds credentials.json. */
export const stateFolder = folderAt('XDG_STATE_HOME', 'LOCALAPPDATA', join('.local', 'state'));

/** Holds what can be computed again: compiled code, names for completion. */
export const cacheFolder = folderAt('XDG_CACHE_HOME', 'LOCALAPPDATA', '.cache');

/** @param usual the folder in the home folder where no variable names another */
function folderAt(variable: string, ofWindows: string, usual: string) {
  return (environment: Environment): string => {
    const { home, platform } = environment;
    const windows = platform === 'win32' ? variableIn(environment, ofWindows) : undefined;
    return join(variableIn(environment, variable) ?? windows ?? join(home, usual), 'fairlead');
  };
}

export function configPath(environment: Environment): string {
  return join(configFolder(environment), 'config.yaml');
}

export function credentialsPath(environment: Environment): string {
  return join(stateFolder(environment), 'credentials.json');
}
