// Computes the folders of the client: configuration, state and cache, by the XDG Base Directory Specification.
import { join } from 'node:path';
import { type Environment, variableIn } from '../../terminal/environment.ts';

/** Holds config.yaml, which people may edit and share: no secrets. */
export function configFolder(environment: Environment): string {
  const { home, platform } = environment;
  const windows = platform === 'win32' ? variableIn(environment, 'APPDATA') : undefined;
  const base = variableIn(environment, 'XDG_CONFIG_HOME') ?? windows ?? join(home, '.config');
  return join(base, 'fairlead');
}

/** Holds credentials.json. */
export function stateFolder(environment: Environment): string {
  const { home, platform } = environment;
  const windows = platform === 'win32' ? variableIn(environment, 'LOCALAPPDATA') : undefined;
  const base =
    variableIn(environment, 'XDG_STATE_HOME') ?? windows ?? join(home, '.local', 'state');
  return join(base, 'fairlead');
}

/** Holds what can be computed again: compiled code, names for completion. */
export function cacheFolder(environment: Environment): string {
  const { home, platform } = environment;
  const windows = platform === 'win32' ? variableIn(environment, 'LOCALAPPDATA') : undefined;
  const base = variableIn(environment, 'XDG_CACHE_HOME') ?? windows ?? join(home, '.cache');
  return join(base, 'fairlead');
}

export function configPath(environment: Environment): string {
  return join(configFolder(environment), 'config.yaml');
}

export function credentialsPath(environment: Environment): string {
  return join(stateFolder(environment), 'credentials.json');
}
