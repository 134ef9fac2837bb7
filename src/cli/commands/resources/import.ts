// `fairlead import`: prints the file that takes over an existing object, applies such files, or lists what exists.
import type { AnswerOf, ResourceDefinition } from '../../../api/shapes.ts';
import { counted } from '../../../client/time.ts';
import { safeLine } from '../../../client/width.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { isTuple, parseResourceAddress, slashed } from '../../../domain/identity.ts';
import { literalMembers } from '../../../domain/references/literal.ts';
import { isJsonArray, isJsonObject, type JsonObject, jsonIn } from '../../../lib/json.ts';
import { importFiles } from '../../resources/import/send.ts';
import type { Api } from '../../session/api/client.ts';
import type { Invocation } from '../../session/invocation.ts';
import { ApiError } from '../../terminal/errors/api-error.ts';
import { type CliError, usageError } from '../../terminal/errors/cli-error.ts';
import type { Flags } from '../../terminal/flags.ts';
import type { View } from '../../terminal/output.ts';
import { yamlOf } from '../../terminal/yaml.ts';

export async function importObjects(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  const isListed = flags.on('list');
  const hasFiles = flags.texts('file').length > 0;
  const adopt = adoptFrom(flags);
  if ([isListed, hasFiles, adopt !== undefined].filter(Boolean).length > 1) {
    throw usageError('Pass one of -f, --list, and --id or --adopt: each is an import of its own.');
  }
  if (isListed) return await listExisting(invocation);
  if (hasFiles) return await importFiles(invocation);
  return await previewObject(invocation, adopt);
}

/** Not for tables: people and `-o yaml` get the file. */
const previewView: View<ImportPreview> = { columns: [], nameOf: slashed };

async function previewObject(invocation: Invocation, adopt: JsonObject | undefined): Promise<void> {
  const { args, output, talk } = invocation;
  const [name = ''] = args;
  const tuple = parseResourceAddress(name)?.tuple;
  if (tuple === undefined || args.length > 1) {
    throw usageError('Name the resource that is to have the object: PROVIDER/TYPE/NAME.');
  }
  const { provider, resource } = tuple;
  const listing = shell`Existing objects: fairlead import --list ${provider}/${resource}`;
  if (adopt === undefined) {
    throw usageError('Say which object it is, with --id ID or --adopt KEY=VALUE.', listing);
  }
  const api = await invocation.api();
  const body = { provider, resource, name: tuple.name, adopt };
  const found = await api
    .call('previewImport', { body, isRepeatable: true })
    .catch((thrown: unknown) => {
      throw missingObject(thrown, listing) ?? thrown;
    });
  const { kind } = output.format;
  if (!output.isForPeople && kind !== 'yaml') {
    await output.record(found, previewView);
    return;
  }
  output.text(await importFile(found, await newestVersion(api, tuple)));
  if (output.isTerminal) talk.note('Keep it with > FILE, and import it: fairlead import -f FILE');
}

function missingObject(thrown: unknown, next: string): CliError | undefined {
  const isMissing = thrown instanceof ApiError && thrown.code === 'object_not_found';
  return isMissing ? thrown.with({ next }) : undefined;
}

/** @returns undefined for a caller who may not list types */
async function newestVersion(
  api: Api,
  { provider, resource }: Pick<ResourceDefinition, 'provider' | 'resource'>,
): Promise<number | undefined> {
  try {
    const types = await api.list('listTypes', {});
    const type = types.find((each) => each.provider === provider && each.resource === resource);
    return type?.type_version;
  } catch (thrown) {
    if (thrown instanceof ApiError) return undefined;
    throw thrown;
  }
}

// `fairlead import --list`: the objects of a type that exist, as its provider lists them.

type ExistingObject = AnswerOf<'listExistingObjects'>[number];

const existingView: View<ExistingObject> = {
  columns: [
    { title: 'OBJECT', cell: ({ adopt }) => adoptText(adopt) },
    { title: 'NAME', cell: ({ name }) => name ?? '' },
    { title: 'MANAGED BY', sparse: true, cell: ({ managed_by }) => managed_by ?? '' },
  ],
  nameOf: ({ adopt, name }) => name ?? adoptText(adopt),
};

async function listExisting(invocation: Invocation): Promise<void> {
  const { args, flags, output, talk } = invocation;
  const [type = ''] = args;
  const [, provider, resource] = /^([^/]+)\/([^/]+)$/.exec(type) ?? [];
  if (provider === undefined || resource === undefined || args.length > 1) {
    throw usageError('--list takes one type: PROVIDER/TYPE.', 'fairlead type list');
  }
  const api = await invocation.api();
  const path = { provider, resource };
  const all = await api.list('listExistingObjects', { path });
  const free = all.filter(({ managed_by }) => managed_by === null);
  await output.list(flags.on('all') ? all : free, existingView);
  if (output.isForPeople) talk.note(existingFooter(path, all.length, free));
}

function existingFooter(
  { provider, resource }: { readonly provider: string; readonly resource: string },
  all: number,
  free: readonly ExistingObject[],
): string {
  const type = `${provider}/${resource}`;
  const managed = all - free.length;
  const others =
    managed === 0 ? '' : ` ${counted(managed, 'other')} ${managed === 1 ? 'is' : 'are'} (--all).`;
  const [first] = free;
  const verb = free.length === 1 ? 'is' : 'are';
  const sentence = `${counted(free.length, 'object')} of ${type} ${verb} not managed by a resource.${others}`;
  if (first === undefined) return sentence;
  const { adopt } = first;
  // The provider chose the name.
  const name = isTuple({ provider, resource, name: first.name ?? '' }) ? first.name : 'NAME';
  return shell`${sentence}  Import one: fairlead import ${`${type}/${name}`} ${adoptFlags(adopt)}`;
}

// Reads the flags that identify an existing object, and writes what identifies one.

/** @returns undefined without any of the flags. @throws CliError for an empty one, and for one with a value twice */
function adoptFrom(flags: Flags): JsonObject | undefined {
  const id = flags.text('id');
  const parts = [...(id === undefined ? [] : [{ id }]), ...flags.texts('adopt').map(partIn)];
  const entries = parts.flatMap((part) => Object.entries(part));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw usageError(`${twice} is given twice in what identifies the object.`);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function partIn(text: string): JsonObject {
  if (text.startsWith('{')) {
    const value = jsonIn(text);
    if (value !== undefined && isJsonObject(value) && !isJsonArray(value)) return value;
    throw usageError('--adopt must be KEY=VALUE or an object of JSON, and is no valid JSON.');
  }
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(`--adopt must be KEY=VALUE or an object of JSON, is "${text}".`);
  }
  return { [name]: value };
}

/** @returns such as `id=x, region=eu` */
function adoptText(adopt: JsonObject): string {
  return Object.entries(adopt)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** @returns the arguments that say the same, such as `--id` and `x` */
function adoptFlags(adopt: JsonObject): readonly string[] {
  const values = Object.entries(adopt);
  const isText = values.every(([name, value]) => typeof value === 'string' && !name.includes('='));
  if (!isText) return ['--adopt', JSON.stringify(adopt)];
  return values.flatMap(([name, value]) =>
    name === 'id' ? ['--id', `${value}`] : ['--adopt', `${name}=${value}`],
  );
}

// Writes the file of an import: what the provider has read of an object, with comments in place of what it has not.

export type ImportPreview = AnswerOf<'previewImport'>;

/** @param newest version of the type, undefined when it is not known: the file names another one */
export async function importFile(
  preview: ImportPreview,
  newest: number | undefined,
): Promise<string> {
  const { adopt, config, type_version, missing } = preview;
  const document = {
    resource: slashed(preview),
    adopt,
    ...(type_version === newest ? {} : { type_version }),
    // Nothing that was read is a reference.
    config: literalMembers(config),
  };
  const comments = [
    `# What the provider reads of the object. Check it, then: fairlead import -f FILE`,
    '# The import changes nothing, and a deletion of the resource leaves the object.',
  ];
  const lacking = missing.map((field) => `  # ${fieldText(field)}`);
  const title = lacking.length === 0 ? [] : ['  # Not read; declare what is required:'];
  return [...comments, `${await yamlOf(document)}${[...title, ...lacking].join('\n')}`, '']
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** A text in the config itself becomes a field when `#` is removed. */
function fieldText({ path, secret, required }: ImportPreview['missing'][number]): string {
  const what = [required ? 'required' : 'optional', ...(secret ? ['secret'] : [])].join(', ');
  const [, name] = /^\/([A-Za-z_][\w-]*)$/.exec(path) ?? [];
  return name === undefined ? `${safeLine(path)}: ${what}` : `${name}:  # ${what}`;
}
