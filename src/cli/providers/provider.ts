// Finds the provider of a command: the one that a person named, or else that of fairlead.yaml or of the package that the working
// folder is in.
import { basename } from 'node:path';
import type { Provider } from '../../api/shapes.ts';
import { shell } from '../../client/words/shell-word.ts';
import type { Api } from '../session/api/client.ts';
import type { Invocation } from '../session/invocation.ts';
import { refuseUnknownProvider } from '../session/meant.ts';
import { CliError, usageError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { packageRoot, providerNameOf } from './pack/manifest.ts';

/** @returns the provider in the list of the organization, undefined when there is none */
export async function findProvider(api: Api, name: string): Promise<Provider | undefined> {
  const all = await api.list('listProviders', {});
  return all.find(({ provider }) => provider === name);
}

/** @throws CliError with the provider that was perhaps meant */
export async function requireProvider({ api }: Invocation, name: string): Promise<Provider> {
  const client = await api();
  const provider = await findProvider(client, name);
  if (provider !== undefined) return provider;
  await refuseUnknownProvider(client, name);
  throw new CliError(`Provider ${name} has types, and no version.`, {
    exit: ExitCode.notFound,
    next: shell`fairlead type list ${name}`,
  });
}

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
