// Finds a provider that a person named.
import type { Provider } from '../../api/shapes.ts';
import { shell } from '../../client/words/shell-word.ts';
import type { Invocation } from '../session/invocation.ts';
import { unknownProvider } from '../session/meant.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import { findProvider } from './rollout.ts';

/** @throws CliError with the provider that was perhaps meant */
export async function requireProvider({ api }: Invocation, name: string): Promise<Provider> {
  const client = await api();
  const provider = await findProvider(client, name);
  if (provider !== undefined) return provider;
  throw (
    (await unknownProvider(client, name)) ??
    new CliError(`Provider ${name} has types, and no version.`, {
      exit: ExitCode.notFound,
      next: shell`fairlead type list ${name}`,
    })
  );
}
