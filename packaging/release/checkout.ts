// What a release is made from: a commit, and a checkout without changes to it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Checkout {
  /** The object id of Git. */
  readonly commit: string;
  /** When it was committed: the time of every file in an archive. */
  readonly committedAt: Date;
}

/** @returns why there is no release of it, when the folder is no checkout or has changes */
export async function checkoutHere(folder: string): Promise<Checkout | string> {
  const git = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)('git', [...args], { cwd: folder });
    return stdout.trim();
  };
  try {
    const changes = await git('status', '--porcelain');
    if (changes !== '')
      return `A release names its commit, and this checkout differs from it. Commit these files, or remove them:\n${changes}`;
    const [commit = '', seconds] = (await git('log', '-1', '--format=%H %ct')).split(' ');
    return { commit, committedAt: new Date(Number(seconds) * 1_000) };
  } catch {
    return 'A release names its commit, and this folder has no history. Clone the repository with Git, and run the command there.';
  }
}
