// The check of `fairlead doctor` for completion in the shell of the person.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Environment, variableIn } from '../../terminal/environment.ts';
import { type Shell, shells } from '../completion/scripts.ts';

const startFiles: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['.bashrc', '.bash_profile', '.local/share/bash-completion/completions/fairlead'],
  zsh: ['.zshrc', '.zprofile'],
  fish: ['.config/fish/config.fish', '.config/fish/completions/fairlead.fish'],
  powershell: ['.config/powershell/profile.ps1'],
};

/** A file that is not there, and need not be. */
export interface Absent {
  readonly text: string;
  readonly next: string | null;
}

/** Completion is a convenience: without it, nothing has failed. */
export function completionText(environment: Environment): string | Absent {
  const name = basename(variableIn(environment, 'SHELL') ?? '');
  const shell = shells.find((each) => each === name);
  const next = 'fairlead completion --help';
  if (shell === undefined) return { text: 'unknown shell', next };
  const isThere = startFiles[shell].some((file) => mentions(join(environment.home, file)));
  return isThere ? `installed for ${shell}` : { text: 'not installed', next };
}

function mentions(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('fairlead');
  } catch {
    return false;
  }
}
