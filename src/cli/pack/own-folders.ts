// Decides which folders around a provider are those of its author: up to the root of the git repository, and never a home folder,
// a folder of another user, or one such as /tmp where everybody may write. A stranger's file above would add code to a push.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface OwnFolders {
  /** Real paths, that of the provider first. */
  readonly folders: readonly string[];
  /** Root of the git repository. */
  readonly repository: string | undefined;
}

export function ownFolders(folder: string): OwnFolders {
  const own = realpathSync(folder);
  const { uid } = statSync(own);
  const home = existsSync(homedir()) ? realpathSync(homedir()) : homedir();
  const folders: string[] = [];
  for (let at = own; ; at = dirname(at)) {
    folders.push(at);
    if (existsSync(join(at, '.git'))) return { folders, repository: at };
    const above = dirname(at);
    if (above === at || above === home || !isOf(uid, above)) {
      return { folders, repository: undefined };
    }
  }
}

function isOf(uid: number, folder: string): boolean {
  // Windows has neither.
  if (process.platform === 'win32') return true;
  const stat = statSync(folder);
  return stat.uid === uid && (stat.mode & 0o002) === 0;
}
