// `fairlead context …`: the contexts of config.yaml.
import {
  type ContextSettings,
  readConfig,
  removeContext,
  setCurrent,
  writeContext,
} from '../../session/context/config-file.ts';
import { apiUrl } from '../../session/context/resolve.ts';
import type { Invocation } from '../../session/invocation.ts';
import { apiKey, findLogin, readLogins } from '../../session/login/credentials.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { View } from '../../terminal/output.ts';

interface ContextRow {
  readonly name: string;
  readonly current: boolean;
  readonly url: string;
  readonly project: string | null;
  readonly organization: string | null;
}

const view: View<ContextRow> = {
  columns: [
    { title: 'CURRENT', cell: ({ current }) => (current ? '*' : '') },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'URL', cell: ({ url }) => url },
    { title: 'PROJECT', cell: ({ project }) => project ?? '' },
    { title: 'SIGNED IN TO', cell: ({ organization }) => organization ?? '' },
  ],
  nameOf: ({ name }) => name,
};

export async function contextList({ environment, output, talk }: Invocation): Promise<void> {
  const { contexts, current } = await readConfig(environment);
  const logins = readLogins(environment);
  const rows = [...contexts].map(([name, { url, project }]) => ({
    name,
    current: name === current,
    url,
    project: project ?? null,
    organization: findLogin(logins, { url: apiUrl(url), name })?.organization ?? null,
  }));
  await output.list(rows, view);
  if (rows.length === 0 && output.isForPeople)
    talk.note('There are no contexts. fairlead login URL');
}

export async function contextUse({ args, environment, talk }: Invocation): Promise<void> {
  const name = await existing(args[0] ?? '', environment);
  await setCurrent(environment, name);
  talk.note(`The context is ${name}.`);
}

export async function contextCurrent({ context, output }: Invocation): Promise<void> {
  const { name, url, project } = await context();
  if (output.isForPeople) output.line(name ?? url.origin);
  else await output.record({ name: name ?? null, url: apiKey(url), project }, currentView);
}

const currentView: View<{ name: string | null; url: string; project: string | undefined }> = {
  columns: [],
  nameOf: ({ name, url }) => name ?? url,
};

export async function contextSet(invocation: Invocation): Promise<void> {
  const { args, globals, environment, talk } = invocation;
  const [name = ''] = args;
  const known = (await readConfig(environment)).contexts.get(name);
  const url = globals.text('url') ?? known?.url;
  if (url === undefined)
    throw usageError(`The context ${name} needs an address.`, 'Pass --url URL.');
  const settings: ContextSettings = {
    ...known,
    url: apiUrl(url).href.replace(/\/$/, ''),
    ...givenSetting('project', globals.text('project')),
    ...givenSetting('output', globals.text('output')),
  };
  await writeContext(environment, { name, settings, isCurrent: false });
  talk.note(`The context ${name} is ${settings.url}.`);
}

/** An empty text removes a setting. */
function givenSetting(
  name: 'project' | 'output',
  value: string | undefined,
): Partial<ContextSettings> {
  return value === undefined ? {} : { [name]: value };
}

export async function contextDelete({ args, environment, talk }: Invocation): Promise<void> {
  const name = await existing(args[0] ?? '', environment);
  await removeContext(environment, name);
  talk.note(`The context ${name} is deleted. Its login stays until: fairlead logout --all`);
}

async function existing(name: string, environment: Invocation['environment']): Promise<string> {
  const { contexts } = await readConfig(environment);
  if (contexts.has(name)) return name;
  throw usageError(`There is no context ${name}.`, 'fairlead context list');
}
