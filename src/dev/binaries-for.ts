// Selects the source of the control plane's programs from the settings.
import type { Config } from '../app/config/index.ts';
import { resolveBinaries } from './binaries.ts';
import { createProgress } from './progress.ts';

/** Finds, downloads or builds them, with progress on standard error. @throws StartError */
export function binariesFor({ binaries, cacheFolder }: Pick<Config, 'binaries' | 'cacheFolder'>) {
  return resolveBinaries({ ...binaries, cacheFolder, progress: createProgress(process.stderr) });
}
