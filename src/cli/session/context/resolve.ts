// Decides which API and project a command uses: flag, environment, fairlead.yaml, config.yaml, in this order.
import { shell } from '../../../client/words/shell-word.ts';
import { isLoopback } from '../../../lib/loopback.ts';
import { type Environment, variableIn } from '../../terminal/environment.ts';
import { CliError, usageError } from '../../terminal/errors/cli-error.ts';
import { ExitCode } from '../../terminal/exit-codes.ts';
import type { Flags } from '../../terminal/flags.ts';
import { type ConfigFile, type ContextSettings, readConfig } from './config-file.ts';
import { type FolderSettings, readFolderFile } from './folder-file.ts';

/** Where a command works. */
export interface Context {
  /** Undefined when only an address is given that no context has. */
  readonly name: string | undefined;
  readonly url: URL;
  readonly project: string | undefined;
  /** The fairlead.yaml that alone chooses the context; undefined where the person or config.yaml does. */
  readonly chosenBy: string | undefined;
  /** Provider of fairlead.yaml. */
  readonly provider: string | undefined;
}

/** @throws CliError when nothing is configured, or a name is unknown */
export async function resolveContext(environment: Environment, globals: Flags): Promise<Context> {
  const [config, folder] = [await readConfig(environment), await readFolderFile(environment)];
  const chosen = chooseContext({ environment, globals, config, folder });
  return {
    name: chosen.name,
    url: apiUrl(chosen.settings.url),
    project:
      globals.text('project') ??
      variableIn(environment, 'FAIRLEAD_PROJECT') ??
      folder?.project ??
      chosen.settings.project,
    chosenBy: chosen.byFolder,
    provider: folder?.provider,
  };
}

interface Sources {
  readonly environment: Environment;
  readonly globals: Flags;
  readonly config: ConfigFile;
  readonly folder: FolderSettings | undefined;
}

interface ChosenContext {
  readonly name: string | undefined;
  readonly settings: ContextSettings;
  /** See `chosenBy`. */
  readonly byFolder?: string | undefined;
}

function chooseContext({ environment, globals, config, folder }: Sources): ChosenContext {
  const byFlag = globals.text('context');
  const url =
    globals.text('url') ??
    (byFlag === undefined ? variableIn(environment, 'FAIRLEAD_URL') : undefined);
  const byPerson = byFlag ?? variableIn(environment, 'FAIRLEAD_CONTEXT');
  if (url !== undefined) return byUrl(url, byFlag, config);
  if (byPerson !== undefined) return byName(byPerson, config);
  if (folder?.context !== undefined) return byFolder(folder, folder.context, config);
  if (config.current !== undefined) return byName(config.current, config);
  throw new NothingConfigured();
}

/** There is no context, as before the first login. */
export class NothingConfigured extends CliError {
  override readonly name = 'NothingConfigured';

  constructor() {
    super('No Fairlead is configured.', { exit: ExitCode.usage, next: 'fairlead login URL' });
  }
}

function byFolder({ path }: FolderSettings, name: string, config: ConfigFile): ChosenContext {
  const chosen = byName(name, config, ` (${path} names it)`);
  return config.current === name ? chosen : { ...chosen, byFolder: path };
}

function byName(name: string, { contexts }: ConfigFile, source = ''): ChosenContext {
  const settings = contexts.get(name);
  if (settings !== undefined) return { name, settings };
  throw usageError(
    `There is no context ${name}${source}.`,
    contexts.size === 0
      ? shell`fairlead login URL --context ${name}`
      : shell`There are ${[...contexts.keys()].join(', ')}. Another: fairlead login URL --context ${name}`,
  );
}

/** An address alone uses the login of the context that has it. */
function byUrl(url: string, byFlag: string | undefined, config: ConfigFile): ChosenContext {
  const { origin } = apiUrl(url);
  const current = config.current === undefined ? [] : [config.current];
  const name = [...current, ...config.contexts.keys()].find((each) => {
    const settings = config.contexts.get(each);
    return settings !== undefined && apiUrl(settings.url).origin === origin;
  });
  return { name: byFlag ?? name, settings: { url } };
}

/** @throws CliError for an address that is none, or without TLS beyond this machine */
export function apiUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `The address must be a URL such as https://fairlead.example.org, is "${text}".`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError('The address must have no user, password, query or fragment.');
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw usageError(
      `A token is not sent to ${url.origin} without TLS.`,
      `Use https://${url.host}`,
    );
  }
  return url;
}
