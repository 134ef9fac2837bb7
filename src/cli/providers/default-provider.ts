// Decides which provider a command without a name means: that of fairlead.yaml or of the package that the working folder is in.
import { usageError } from '../errors/cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { packageRoot, providerOf } from '../pack/manifest.ts';

/** @throws CliError when the working folder names none */
export async function defaultProvider(invocation: Invocation): Promise<string> {
  const { environment } = invocation;
  const { provider } = await invocation.context();
  if (provider !== undefined) return provider;
  let root: string;
  try {
    root = packageRoot(undefined, environment);
  } catch {
    throw usageError('Which provider?', 'fairlead provider list');
  }
  return await providerOf(root, undefined, environment);
}
