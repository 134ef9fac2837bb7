// `fairlead type`: the resource types of the organization.
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { type SchemaRow, schemaRows } from '../../../client/schema/rows.ts';
import { counted } from '../../../client/time.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { typeName } from '../../../domain/identity.ts';
import { defaultInterval } from '../../../domain/observation/interval.ts';
import { durationText } from '../../../lib/duration.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { typeNamed } from '../../resources/type-named.ts';
import type { Invocation } from '../../session/invocation.ts';
import { refuseUnknownProvider } from '../../session/meant.ts';
import type { Output, View } from '../../terminal/output.ts';
import { timeColumn } from '../../terminal/table.ts';

export const typeView: View<ResourceDefinition> = {
  columns: [
    { title: 'TYPE', cell: typeName },
    timeColumn('AGE', ({ created_at }) => created_at),
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
  for (const name of without) await refuseUnknownProvider(client, name);
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
  const { observable, observe_every: every, listable, adopt_schema: adopt, identity } = type;
  const members = Object.keys(identity?.outputs ?? {});
  const keys = Object.keys((adopt?.['properties'] as object | undefined) ?? {});
  const by = keys.length === 0 ? '' : ` by ${keys.join(', ')}`;
  return [
    ...(members.length === 0
      ? []
      : [`Its objects are told apart by ${members.join(', ')}: each has one resource.`]),
    ...(observable ? [`Observed every ${every ?? defaultInterval}, and imported${by}.`] : []),
    ...(type.compare_defaults ? ['Values that are not declared are compared with defaults.'] : []),
    ...(type.plan ? ['Its provider checks configs before they are stored.'] : []),
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

// The fields of a type, for people: those of the config, of the outputs, and of what identifies an object in an import.

type Schemas = Pick<ResourceDefinition, 'schema' | 'outputs_schema' | 'adopt_schema'>;

interface FieldOptions {
  /** Also fields within fields, and all limits. */
  readonly isAll: boolean;
}

/** @returns whether there are fields within fields that were not printed */
function printFields(
  output: Output,
  { schema, outputs_schema, adopt_schema }: Schemas,
  options: FieldOptions,
): { readonly hasMore: boolean } {
  const parts = [
    { title: 'Config', schema },
    ...(outputs_schema === null ? [] : [{ title: 'Outputs', schema: outputs_schema }]),
    ...(adopt_schema === null ? [] : [{ title: 'Adopt', schema: adopt_schema }]),
  ];
  const cut = parts.map((part) => printSchema(output, { ...part, ...options }));
  return { hasMore: cut.some((isCut) => isCut) };
}

interface Part extends FieldOptions {
  readonly title: string;
  readonly schema: ResourceDefinition['schema'];
}

function printSchema(output: Output, { title, schema, isAll }: Part): boolean {
  output.line('');
  if (schema === null) {
    output.line('Any config is valid: the type has no schema.');
    return false;
  }
  output.line(output.style.paint('bold', title));
  const { rows, isCut } = schemaRows(schema as JsonObject, { nested: isAll });
  output.rows(rows.map((row) => ['', row.path, ...fieldCells(row, isAll)]));
  if (rows.length === 0) output.line('  no fields');
  if (isAll && isCut) output.line('  … more: -o value=schema has all of it');
  return !isAll && schemaRows(schema as JsonObject).rows.length > rows.length;
}

function fieldCells(row: SchemaRow, isAll: boolean): readonly string[] {
  const { type, values, isRequired, isSecret, isImmutable, description, constraints, initial } =
    row;
  const limits = constraints.filter((each) => !/^(?:const|enum) /.test(each));
  return [
    values === undefined ? type : values.map((value) => JSON.stringify(value)).join(' | '),
    isRequired ? 'required' : '',
    [
      ...(description === '' ? [] : [description]),
      ...(isAll && limits.length > 0 ? [limits.join(', ')] : []),
      ...(initial === undefined ? [] : [`default ${initial}`]),
      ...(isSecret ? ['(sensitive)'] : []),
      ...(isImmutable ? ['(immutable)'] : []),
    ].join('; '),
  ];
}
