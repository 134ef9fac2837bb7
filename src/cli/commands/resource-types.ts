// `fairlead type`: the resource types of the organization.
import type { ResourceDefinition } from '../../api/shapes.ts';
import { counted, since } from '../../client/time.ts';
import { durationText } from '../../lib/duration.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Api } from '../api/client.ts';
import { usageError } from '../errors/cli-error.ts';
import { notFound, unknownProvider } from '../errors/meant.ts';
import type { Invocation } from '../invocation.ts';
import type { View } from '../render/output.ts';

export const typeView: View<ResourceDefinition> = {
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

export function typeName({
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
  for (const line of paceOf(type)) output.line(line);
  output.line('');
  if (type.schema === null) output.line('Any config is valid: the type has no schema.');
  else output.rows(propertyRows(type.schema));
  return undefined;
}

function paceOf({ concurrency, operation_limit_seconds: limit }: ResourceDefinition): string[] {
  return [
    ...(concurrency === null ? [] : [`Delivers ${counted(concurrency, 'event')} at a time.`]),
    ...(limit === null ? [] : [`An operation may take ${durationText(limit)}.`]),
  ];
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
