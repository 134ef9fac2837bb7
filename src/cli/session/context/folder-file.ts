// Reads fairlead.yaml of the working folder or of a folder above: context, project and provider of a checkout. It names no
// address, because a checkout must not decide where a token goes.
import { dirname, join } from 'node:path';
import type { Environment } from '../../terminal/environment.ts';
import { invalidFile, readMapping, requireTexts } from './mapping.ts';

export interface FolderSettings {
  readonly path: string;
  readonly context?: string;
  readonly project?: string;
  readonly provider?: string;
}

/** @throws CliError for a file that is not as it must be */
export async function readFolderFile({
  folder,
  home,
}: Environment): Promise<FolderSettings | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, 'fairlead.yaml');
    const settings = await readMapping(path);
    if (settings !== undefined) {
      if ('url' in settings) {
        throw invalidFile(path, 'url belongs to a context, in fairlead context set NAME --url URL');
      }
      requireTexts(settings, ['context', 'project', 'provider'], { path });
      return { ...settings, path };
    }
    if (at === dirname(at) || at === home) return undefined;
  }
}
