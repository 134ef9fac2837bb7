// `fairlead provider registry …`: private npm registries from which builds install packages. A token is never an argument: arguments
// are in the history of the shell and in the list of processes.
import type { Registry } from '../../../api/shapes.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { registryUrlProblem, scopePattern } from '../../../domain/providers/registries.ts';
import type { Invocation } from '../../session/invocation.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

const registryView: View<Registry> = {
  columns: [
    { title: 'SCOPE', cell: ({ scope }) => scope },
    { title: 'URL', cell: ({ url }) => url },
    timeColumn('SET', ({ set_at }) => set_at),
    { title: 'BY', cell: ({ set_by, set_by_name }) => set_by_name ?? set_by },
  ],
  nameOf: ({ scope }) => scope,
};

export async function registryList({ api, output, talk }: Invocation): Promise<void> {
  const all = await (await api()).call('listRegistries', {});
  await output.list(all, registryView);
  if (all.length === 0 && output.isForPeople)
    talk.note('No private registry is set.  Set one: fairlead provider registry set @SCOPE URL');
}

export async function registrySet(invocation: Invocation): Promise<void> {
  const { api, args, flags, output, talk } = invocation;
  const [scope = '', url = ''] = args;
  requireScope(scope);
  const problem = registryUrlProblem(url);
  if (problem !== undefined) {
    throw usageError(
      `The URL of the registry ${problem}.`,
      shell`fairlead provider registry set ${scope} https://npm.example.com/`,
    );
  }
  const instead = shell`fairlead provider registry set ${scope} ${url} < FILE`;
  const token = await invocation.questions.value('token', instead);
  const isPreview = flags.on('dry-run');
  const query = isPreview ? { dry_run: true } : {};
  const input = { path: { scope }, query, body: { url, token }, isRepeatable: true };
  const registry = await (await api()).call('setRegistry', input);
  if (!output.isForPeople) await output.record(registry, registryView);
  if (isPreview) talk.note(`The registry of ${scope} would be ${url}. Nothing was changed.`);
  else talk.note(`Builds install ${scope} from ${url}.  Push again: fairlead push`);
}

export async function registryUnset({ api, args, flags, talk }: Invocation): Promise<void> {
  const client = await api();
  const known = (await client.call('listRegistries', {})).map(({ scope }) => scope);
  for (const scope of args) {
    requireScope(scope);
    // With --dry-run, too, a scope without a registry is refused.
    if (flags.on('dry-run') && known.includes(scope)) {
      talk.note(`The registry of ${scope} would be removed. Nothing was changed.`);
      continue;
    }
    await client.call('deleteRegistry', { path: { scope } });
    talk.note(`The registry of ${scope} is removed.`);
  }
}

function requireScope(scope: string): void {
  if (scopePattern.test(scope)) return;
  throw usageError(
    `A scope begins with @ and has lower-case letters, digits, dots and dashes, not "${scope}".`,
    'fairlead provider registry set @acme https://npm.example.com/',
  );
}
