// `fairlead provider …`: the providers of the organization.
import type { Provider, ResourceRecord } from '../../../api/shapes.ts';
import { deploymentState, podCounts } from '../../../client/deployment.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { slashed } from '../../../domain/identity.ts';
import { defaultProvider, requireProvider } from '../../providers/provider.ts';
import { heldCorrections, podsText, providerView } from '../../providers/views.ts';
import { unprotecting } from '../../resources/ask-delete.ts';
import type { Invocation } from '../../session/invocation.ts';
import { refuseUnknownProvider } from '../../session/meant.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { CliError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';

export async function providerList({ api, output, talk }: Invocation): Promise<void> {
  const providers = await (await api()).list('listProviders', {});
  await output.list(providers, providerView);
  if (output.isForPeople && providers.length === 0) {
    talk.note('There are no providers.  A new one: fairlead init NAME');
  }
}

export async function providerGet(invocation: Invocation): Promise<void> {
  const name = invocation.args[0] ?? (await defaultProvider(invocation));
  const { output } = invocation;
  const provider = await requireProvider(invocation, name);
  await output.fields(provider, providerRows(provider));
}

function providerRows(provider: Provider): readonly (readonly [string, string])[] {
  const runs = provider.hosted ? (provider.version ?? 'never deployed') : 'runs elsewhere';
  return [
    ['provider', provider.provider],
    ['state', deploymentState(provider)],
    ['version', runs],
    ...optionalRow('previous', provider.previous_version),
    ['pods', `${podsText(provider)} ready, ${podCounts(provider).available} available`],
    ['updated', provider.updated_at],
    ...optionalRow('message', provider.message),
    ...optionalRow('corrections held', heldCorrections(provider) ?? null),
  ];
}

function optionalRow(name: string, value: string | null): readonly (readonly [string, string])[] {
  return value === null || value === '' ? [] : [[name, value]];
}

/** Looks before it asks. */
export async function providerDelete(invocation: Invocation): Promise<void> {
  const { api, args, flags, output, questions, talk } = invocation;
  const [name = ''] = args;
  const cascade = flags.on('cascade');
  const client = await api();
  const query = { provider: name, limit: 1_000 };
  const resources = await client.list('listResources', { query: { ...query, secrets: 'hide' } });
  const count = resources.length;
  // One without a version may still have types.
  if (count === 0) await refuseUnknownProvider(client, name);
  if (!cascade && count > 0) throw usedProvider(name, count);
  requireNoneProtected(resources);
  const what = cascade && count > 0 ? `${name} and its ${counted(count, 'resource')}` : name;
  if (flags.on('dry-run')) {
    talk.note(`The provider ${what} would be deleted. Nothing was changed.`);
    return;
  }
  if (!(await questions.confirm(`Delete the provider ${what}?`))) {
    talk.note('Nothing was deleted.');
    return;
  }
  const input = { path: { provider: name }, query: cascade ? { cascade } : {} };
  const deleted = await client.call('deleteProvider', input).catch((thrown: unknown) => {
    throw protectedOf(thrown, name) ?? thrown;
  });
  if (!output.isForPeople) output.json(deleted);
  talk.note(
    `The provider ${name} is deleted: ${counted(deleted.resources_deleted, 'resource')}, ${counted(deleted.resource_definitions_deleted, 'type')}, ${counted(deleted.dead_letter_events_deleted, 'dead letter')}, ${counted(deleted.builds_cancelled, 'unfinished build')}.`,
  );
}

function usedProvider(name: string, count: number): CliError {
  return new CliError(`The provider ${name} has ${counted(count, 'resource')}.`, {
    exit: ExitCode.conflict,
    next: shell`With its resources: fairlead provider delete ${name} --cascade`,
  });
}

/** Called before a question, and before a dry run reports that it could be deleted. */
function requireNoneProtected(resources: readonly ResourceRecord[]): void {
  const [first] = resources;
  const names = resources.filter((each) => each.protected).map(slashed);
  if (first !== undefined && names.length > 0) {
    throw hasProtected(first.provider, { names: names.slice(0, maxNamed), count: names.length });
  }
}

const maxNamed = 20;

/** @returns the error for resources that were protected since the look; the server names some of them */
function protectedOf(thrown: unknown, provider: string): CliError | undefined {
  if (!(thrown instanceof ApiError && thrown.code === 'resource_protected')) return undefined;
  const { resources, resource_count: count } = thrown.context;
  if (!Array.isArray(resources)) return undefined;
  const names = resources.map(String);
  return hasProtected(provider, { names, count: Number(count ?? names.length) });
}

function hasProtected(
  provider: string,
  { names, count }: { names: readonly string[]; count: number },
): CliError {
  const more = count - names.length;
  const sentence = `The provider ${provider} has ${counted(count, 'protected resource')}, so it is not deleted.`;
  return new CliError(sentence, {
    exit: ExitCode.conflict,
    facts: [...names, ...(more > 0 ? [`and ${more} more`] : [])],
    next: `${unprotecting(names)}${more > 0 ? ' …' : ''}`,
  });
}
