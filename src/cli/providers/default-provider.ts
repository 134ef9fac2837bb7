// Decides which provider a command without a name means: that of fairlead.yaml or of the package that the working folder is in.
import { basename } from 'node:path';
import type { Invocation } from '../session/invocation.ts';
import { usageError } from '../terminal/errors/cli-error.ts';
import { packageRoot, providerNameOf } from './pack/manifest.ts';

/** @throws CliError when the working folder names none */
export async function defaultProvider(invocation: Invocation): Promise<string> {
  const { environment, talk } = invocation;
  const { provider } = await invocation.context();
  if (provider !== undefined) return provider;
  let root: string;
  try {
    root = packageRoot(undefined, environment);
  } catch {
    throw usageError('Which provider?', 'fairlead provider list');
  }
  const name = await providerNameOf(root, undefined, environment);
  // Any folder with a package.json is one: somebody may have meant no provider of it.
  talk.note(`Provider ${name}, by the package in folder ${basename(root)}.`);
  return name;
}
