// `fairlead type`: the resource types of the organization.
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { counted, since } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { typeName } from '../../../domain/identity.ts';
import { defaultInterval } from '../../../domain/observation/interval.ts';
import { durationText } from '../../../lib/duration.ts';
import { printFields } from '../../resources/type-fields.ts';
import { typeNamed } from '../../resources/type-named.ts';
import type { Invocation } from '../../session/invocation.ts';
import { unknownProvider } from '../../session/meant.ts';
import type { View } from '../../terminal/output.ts';

export const typeView: View<ResourceDefinition> = {
  columns: [
    { title: 'TYPE', cell: typeName },
    {
      title: 'AGE',
      cell: ({ created_at }, { now, wide }) => (wide ? created_at : since(created_at, now)),
    },
    { title: 'UPDATED', wide: true, cell: ({ updated_at }) => updated_at },
    { title: 'FIELDS', wide: true, cell: ({ schema }) => configFields(schema).join(',') },
    {
      title: 'DESCRIPTION',
      cell: ({ description, retired }) => (retired ? `(retired) ${description}` : description),
    },
  ],
  nameOf: typeName,
};

function configFields(schema: ResourceDefinition['schema']): readonly string[] {
  return Object.keys((schema?.['properties'] as object | undefined) ?? {});
}

export async function listTypes({ args, api, output, talk }: Invocation): Promise<void> {
  const client = await api();
  const all = await client.list('listTypes', {});
  const types = all.filter((type) => args.length === 0 || args.includes(type.provider));
  await output.list(types, typeView);
  if (output.isForPeople) talk.note(`${counted(types.length, 'type')}.`);
  const without = args.filter((name) => !types.some(({ provider }) => provider === name));
  const unknown = await Promise.all(without.map((name) => unknownProvider(client, name)));
  const [error] = unknown.filter((each) => each !== undefined);
  if (error !== undefined) throw error;
}

export async function getType({ args, flags, api, output, talk }: Invocation): Promise<void> {
  const [name = ''] = args;
  const type = typeNamed(await (await api()).list('listTypes', {}), name);
  if (!output.isForPeople) {
    await output.record(type, typeView);
    return;
  }
  output.line(typeName(type));
  if (type.description !== '') output.line(type.description);
  if (type.retired) {
    output.line('Retired: the version of the provider that serves lacks it.');
  }
  for (const line of [...versionsOf(type), ...paceLines(type), ...observedOf(type)])
    output.line(line);
  const { hasMore } = printFields(output, type, { isAll: flags.on('all') });
  if (hasMore) talk.note(shell`Fields within fields: fairlead type get ${name} --all`);
}

function versionsOf({ type_version, earlier_versions }: ResourceDefinition): string[] {
  if (type_version === 1) return [];
  const earlier = earlier_versions.map((each) => each.type_version);
  const accepted = earlier.length === 0 ? '' : `; also accepts ${earlier.join(', ')}`;
  return [`Version ${type_version}${accepted}.`];
}

function paceLines({ concurrency, operation_limit_seconds: limit }: ResourceDefinition): string[] {
  return [
    ...(concurrency === null ? [] : [`Delivers ${counted(concurrency, 'event')} at a time.`]),
    ...(limit === null ? [] : [`An operation may take ${durationText(limit)}.`]),
  ];
}

function observedOf(type: ResourceDefinition): string[] {
  const { observable, observe_every: every, listable, adopt_schema: adopt } = type;
  const keys = Object.keys((adopt?.['properties'] as object | undefined) ?? {});
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
  return [
    ...(observable ? [`Observed every ${every ?? defaultInterval}, and imported${by}.`] : []),
    ...(listable ? [shell`Its objects: fairlead import --list ${typeName(type)}`] : []),
  ];
}

export async function unregisterType(invocation: Invocation): Promise<void> {
  const { args, flags, questions, talk } = invocation;
  const [name = ''] = args;
  const api = await invocation.api();
  const { provider, resource } = typeNamed(await api.list('listTypes', {}), name);
  const query = { provider, resource, limit: 1_000 };
  const count = (await api.list('listResources', { query })).length;
  const its = count === 0 ? '' : ` It has ${counted(count, 'resource')}, which stay readable`;
  if (flags.on('dry-run')) {
    const rest = its === '' ? '' : `${its}, and could be deleted.`;
    talk.note(`${name} would be unregistered.${rest}`);
    return;
  }
  // Nothing is lost without resources: it can be registered again.
  const question = `Unregister ${name}?${its}, and can be deleted, but not changed.`;
  if (count > 0 && !(await questions.confirm(question))) {
    talk.note('Nothing was unregistered.');
    return;
  }
  await api.request('unregisterType', { path: { provider, resource } });
  const rest = its === '' ? '' : `${its}, and can be deleted.`;
  talk.note(`${name} is unregistered.${rest}`);
}
