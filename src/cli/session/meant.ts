// Makes errors about names that do not exist, each with the name that was most likely meant. A mistyped name is never a success:
// the exit code is that of what is not found.
import type { ErrorCode } from '../../api/errors.ts';
import type { Selector } from '../../client/selector.ts';
import { shell } from '../../client/words/shell-word.ts';
import { parseResourceAddress, type ResourceTuple } from '../../domain/identity.ts';
import { meantBy } from '../../domain/meant.ts';
import { nearest } from '../../lib/nearest.ts';
import type { CommandSubject } from '../terminal/errors/advice.ts';
import { ApiError } from '../terminal/errors/api-error.ts';
import { CliError } from '../terminal/errors/cli-error.ts';
import { insteadOfNoun } from '../terminal/errors/kubectl.ts';
import { ExitCode } from '../terminal/exit-codes.ts';
import type { Api } from './api/client.ts';

/** @param otherwise the command to use when no name is near */
export function notFound(
  sentence: string,
  { meant, otherwise }: { meant: string | undefined; otherwise: string },
): CliError {
  const next = meant === undefined ? otherwise : `Did you mean ${meant}?`;
  return new CliError(sentence, { exit: ExitCode.notFound, next });
}

interface KnownNames {
  readonly providers: ReadonlySet<string>;
  /** As `provider/type`. */
  readonly types: ReadonlySet<string>;
}

/** @returns undefined for a caller who may not list them: a token that is confined to a project */
async function knownNames(api: Api): Promise<KnownNames | undefined> {
  try {
    const [providers, types] = await Promise.all([
      api.list('listProviders', {}),
      api.list('listTypes', {}),
    ]);
    const names = [...providers, ...types].map(({ provider }) => provider);
    return {
      providers: new Set(names),
      types: new Set(types.map(({ provider, resource }) => `${provider}/${resource}`)),
    };
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.exit === ExitCode.notAllowed) return undefined;
    throw thrown;
  }
}

/**
 * Finds the selectors that name a provider or a type that does not exist.
 * @param found what they match
 */
export async function unknownIn(
  api: Api,
  selectors: readonly Selector[],
  found: readonly ResourceTuple[],
): Promise<readonly CliError[]> {
  const suspects = selectors.filter((each) => each.provider !== undefined && !isKnown(found, each));
  const known = suspects.length === 0 ? undefined : await knownNames(api);
  if (known === undefined) return [];
  const errors = suspects.map((suspect) => ({ suspect, error: unknownSelector(suspect, known) }));
  const doubtful = errors.flatMap(({ suspect, error }) => (error ? [{ suspect, error }] : []));
  // Resources outlive their type, and a filter may have hidden them.
  const checked = await Promise.all(
    doubtful.map(async ({ suspect, error }) => ((await exists(api, suspect)) ? [] : [error])),
  );
  return checked.flat();
}

function isKnown(found: readonly ResourceTuple[], { provider, resource }: Selector): boolean {
  return found.some(
    (each) => each.provider === provider && (resource ?? each.resource) === each.resource,
  );
}

async function exists(api: Api, { provider, resource }: Selector): Promise<boolean> {
  const query = { provider, resource, limit: 1 };
  return (await api.call('listResources', { query })).length > 0;
}

function unknownSelector(
  { provider = '', resource }: Pick<Selector, 'provider' | 'resource'>,
  { providers, types }: KnownNames,
): CliError | undefined {
  if (!providers.has(provider)) {
    const otherwise = insteadOfNoun(provider) ?? 'fairlead provider list';
    return notFound(`There is no provider ${provider}.`, {
      meant: insteadOfNoun(provider) === undefined ? nearest(provider, providers) : undefined,
      otherwise,
    });
  }
  if (resource === undefined || types.has(`${provider}/${resource}`)) return undefined;
  return notFound(`Provider ${provider} has no type ${resource}.`, {
    meant: nearest(`${provider}/${resource}`, types),
    otherwise: shell`fairlead type list ${provider}`,
  });
}

/** @throws CliError for a provider that does not exist, with the one that was perhaps meant */
export async function refuseUnknownProvider(api: Api, provider: string): Promise<void> {
  const error = await unknownProvider(api, provider);
  if (error !== undefined) throw error;
}

async function unknownProvider(api: Api, provider: string): Promise<CliError | undefined> {
  const known = await knownNames(api);
  return known && unknownSelector({ provider, resource: undefined }, known);
}

/** @returns the error for a project that does not exist; undefined for one that does */
export async function unknownProject(api: Api, project: string): Promise<CliError | undefined> {
  const projects = await api.list('listProjects', {});
  const names = projects.flatMap(({ project_id, name }) => [name, project_id]);
  if (names.includes(project)) return undefined;
  return notFound(`There is no project ${project}.`, {
    meant: nearest(project, names),
    otherwise: 'fairlead project list',
  });
}

/** @returns an error for each resource that does not exist: the one that is meant, or that its type is unknown */
export async function missingResources(
  api: Api,
  missing: readonly string[],
): Promise<readonly CliError[]> {
  if (missing.length === 0) return [];
  const others = await api.list('listResources', { query: { limit: 1_000 } }, maxListed);
  const tuples = missing.map((text) => ({ text, tuple: parseResourceAddress(text)?.tuple }));
  const isUsed = (tuple: ResourceTuple) =>
    others.some((each) => each.provider === tuple.provider && each.resource === tuple.resource);
  const mayBeUnknown = tuples.some(({ tuple }) => tuple !== undefined && !isUsed(tuple));
  const known = mayBeUnknown ? await knownNames(api) : undefined;
  return tuples.map(({ text, tuple }) => {
    const meant = tuple && meantBy(tuple, others);
    const isDoubtful = tuple !== undefined && meant === undefined && !isUsed(tuple);
    const otherwise = 'The resources that exist: fairlead get';
    const unknown = known !== undefined && isDoubtful ? unknownSelector(tuple, known) : undefined;
    return unknown ?? notFound(`${text} does not exist.`, { meant, otherwise });
  });
}

/** A second or two: nobody waits longer for a suggestion. */
const maxListed = 5_000;

type SuggestionLookup = (api: Api, subject: CommandSubject) => Promise<CliError | undefined>;

const suggestProvider: SuggestionLookup = async (api, { provider }) =>
  provider === undefined ? undefined : await unknownProvider(api, provider);

const looks: { readonly [code in ErrorCode]?: SuggestionLookup } = {
  resource_not_found: async (api, { resource: text }) =>
    text === undefined ? undefined : (await missingResources(api, [text]))[0],
  not_deployed: suggestProvider,
  build_not_found: suggestProvider,
  project_not_found: async (api, { project }) =>
    project === undefined ? undefined : await unknownProject(api, project),
};

/** @returns the error with the name that is meant when the API does not find one; otherwise what was thrown */
export async function withMeant(thrown: unknown, api: () => Promise<Api>): Promise<unknown> {
  if (!(thrown instanceof ApiError) || thrown.code === undefined) return thrown;
  const look = looks[thrown.code];
  if (look === undefined) return thrown;
  try {
    return (await look(await api(), thrown.subject)) ?? thrown;
  } catch {
    // A suggestion is worth no second error.
    return thrown;
  }
}
