// `fairlead type`: the resource types of the organization.
import type { RegisterType, ResourceDefinition } from '../../api/shapes.ts';
import { counted, since } from '../../client/time.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Api } from '../api/client.ts';
import { type Declared, refusalError } from '../apply/refusal.ts';
import { readingFor } from '../declarations/folder.ts';
import { type Problem, requireNone } from '../declarations/problem.ts';
import { readSources } from '../declarations/source.ts';
import { parseYaml, type YamlDocument } from '../declarations/yaml.ts';
import { ApiError } from '../errors/api-error.ts';
import { usageError } from '../errors/cli-error.ts';
import { notFound, unknownProvider } from '../errors/meant.ts';
import type { Invocation } from '../invocation.ts';
import type { View } from '../render/output.ts';

const typeView: View<ResourceDefinition> = {
  columns: [
    { title: 'TYPE', cell: typeName },
    {
      title: 'AGE',
      cell: ({ created_at }, { now, wide }) => (wide ? created_at : since(created_at, now)),
    },
    { title: 'UPDATED', wide: true, cell: ({ updated_at }) => updated_at },
    { title: 'FIELDS', wide: true, cell: ({ schema }) => fieldsOf(schema).join(',') },
    {
      title: 'DESCRIPTION',
      cell: ({ description, retired }) => (retired ? `(retired) ${description}` : description),
    },
  ],
  nameOf: typeName,
};

function typeName({
  provider,
  resource,
}: Pick<ResourceDefinition, 'provider' | 'resource'>): string {
  return `${provider}/${resource}`;
}

function fieldsOf(schema: ResourceDefinition['schema']): readonly string[] {
  return Object.keys((schema?.['properties'] as object | undefined) ?? {});
}

export async function listTypes({ args, api, output, talk }: Invocation): Promise<undefined> {
  const client = await api();
  const all = await client.list('listTypes', {});
  const types = all.filter((type) => args.length === 0 || args.includes(type.provider));
  await output.list(types, typeView);
  if (output.isForPeople) talk.note(`${counted(types.length, 'type')}.`);
  const without = args.filter((name) => !types.some(({ provider }) => provider === name));
  const unknown = await Promise.all(without.map((name) => unknownProvider(client, name)));
  const [error] = unknown.filter((each) => each !== undefined);
  if (error !== undefined) throw error;
  return undefined;
}

export async function getType({ args, api, output }: Invocation): Promise<undefined> {
  const [name = ''] = args;
  const type = await find(await api(), name);
  if (!output.isForPeople) {
    await output.record(type, typeView);
    return undefined;
  }
  output.line(typeName(type));
  if (type.description !== '') output.line(type.description);
  if (type.retired) {
    output.line('Retired: the version of the provider that serves lacks it.');
  }
  output.line('');
  if (type.schema === null) output.line('Any config is valid: the type has no schema.');
  else output.rows(propertyRows(type.schema));
  return undefined;
}

async function find(api: Api, name: string): Promise<ResourceDefinition> {
  const types = await api.list('listTypes', {});
  const type = types.find((each) => typeName(each) === name);
  if (type !== undefined) return type;
  if (!/^[^/]+\/[^/]+$/.test(name))
    throw usageError(`"${name}" names no type: write PROVIDER/TYPE.`);
  throw notFound(`The type ${name} is not registered.`, {
    meant: nearest(name, types.map(typeName)),
    otherwise: 'The types that are: fairlead type list',
  });
}

interface Property {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: unknown;
  readonly writeOnly?: unknown;
  readonly sensitive?: unknown;
}

function propertyRows(schema: NonNullable<ResourceDefinition['schema']>): string[][] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Property>);
  const required = (schema['required'] ?? []) as readonly string[];
  return properties.map(([name, property]) => [
    name,
    typeText(property),
    required.includes(name) ? 'required' : '',
    notesOf(property),
  ]);
}

function typeText({ type, enum: values }: Property): string {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : '';
}

function notesOf({ description, default: standard, writeOnly, sensitive }: Property): string {
  return [
    ...(typeof description === 'string' ? [description] : []),
    ...(standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]),
    ...(writeOnly === true || sensitive === true ? ['secret'] : []),
  ].join('; ');
}

export async function registerTypes(invocation: Invocation): Promise<undefined> {
  const { flags, output, talk } = invocation;
  const declared = await declaredTypes(invocation);
  const api = await invocation.api();
  if (flags.on('dry-run')) {
    const names = new Set((await api.list('listTypes', {})).map(typeName));
    output.rows(declared.map(({ ref }) => [ref, names.has(ref) ? 'replace' : 'create']));
    talk.note('Nothing was written. The server checks a schema when it is registered.');
    return undefined;
  }
  const registered: ResourceDefinition[] = [];
  for (const declaration of declared) {
    try {
      registered.push(
        await api.call('registerType', { body: declaration.body, isRepeatable: true }),
      );
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const nothing = `${counted(registered.length, 'type was', 'types were')} registered before it.`;
      throw await refusalError([{ declaration, error: thrown }], {
        api,
        total: declared.length,
        nothing,
      });
    }
  }
  await output.list(registered, typeView);
  return undefined;
}

type DeclaredType = Declared & { readonly body: RegisterType };

async function declaredTypes(invocation: Invocation): Promise<readonly DeclaredType[]> {
  const { flags, args, environment } = invocation;
  const files = [...flags.texts('file'), ...args];
  if (files.length === 0)
    throw usageError('Name what to read with -f: a file, a folder, or - for standard input.');
  const problems: Problem[] = [];
  const types: DeclaredType[] = [];
  for (const source of await readSources(files, environment, readingFor(invocation))) {
    for (const document of await parseYaml(source, (each) => problems.push(each))) {
      const type = typeIn(document);
      if ('message' in type) problems.push(type);
      else types.push(type);
    }
  }
  requireNone(problems);
  return types;
}

/** The API checks the other fields. */
function typeIn(document: YamlDocument): DeclaredType | Problem {
  const { value, placeOf } = document;
  const body = value as RegisterType;
  const isNamed =
    typeof value === 'object' &&
    typeof body.provider === 'string' &&
    typeof body.resource === 'string';
  if (!isNamed)
    return { place: placeOf([]), field: '', message: 'must name its provider and resource' };
  return { ref: typeName(body), place: placeOf([]), placeOf, body };
}

export async function unregisterType(invocation: Invocation): Promise<undefined> {
  const { args, flags, questions, talk } = invocation;
  const [name = ''] = args;
  const api = await invocation.api();
  const { provider, resource } = await find(api, name);
  const query = { provider, resource, limit: 1_000 };
  const count = (await api.list('listResources', { query })).length;
  const its = count === 0 ? '' : ` It has ${counted(count, 'resource')}, which stay readable`;
  if (flags.on('dry-run')) {
    const rest = its === '' ? '' : `${its}, and could be deleted.`;
    talk.note(`${name} would be unregistered.${rest}`);
    return undefined;
  }
  // Nothing is lost without resources: it can be registered again.
  const question = `Unregister ${name}?${its}, and can be deleted, but not changed.`;
  if (count > 0 && !(await questions.confirm(question))) {
    talk.note('Nothing was unregistered.');
    return undefined;
  }
  await api.request('unregisterType', { path: { provider, resource } });
  const rest = its === '' ? '' : `${its}, and can be deleted.`;
  talk.note(`${name} is unregistered.${rest}`);
  return undefined;
}
