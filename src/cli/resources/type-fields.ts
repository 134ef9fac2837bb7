// The fields of a type, for people: those of the config, of the outputs, and of what identifies an object in an import.
import type { ResourceDefinition } from '../../api/shapes.ts';
import { type SchemaRow, schemaRows } from '../../client/schema/rows.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Output } from '../terminal/output.ts';

type Schemas = Pick<ResourceDefinition, 'schema' | 'outputs_schema' | 'adopt_schema'>;

interface FieldOptions {
  /** Also fields within fields, and all limits. */
  readonly isAll: boolean;
}

/** @returns whether there are fields within fields that were not printed */
export function printFields(
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
