// The body of a type: what it declares, and the defaults of what it does not.
import { expect, it } from 'vitest';
import { presentDefinition } from '../../../../src/http/response/resource.ts';
import type { DefinitionRecord } from '../../../../src/store/records.ts';

const schema = { type: 'object' } as const;
const record: DefinitionRecord = {
  provider: 'postgres',
  resource: 'database',
  description: 'A database',
  schema: null,
  fieldOrder: undefined,
  typeVersion: 1,
  outputsSchema: null,
  outputsFieldOrder: undefined,
  adoptSchema: null,
  identity: null,
  earlierVersions: [],
  tags: null,
  retired: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

it('has the options that a type does not declare', () => {
  expect(presentDefinition(record)).toEqual({
    provider: 'postgres',
    resource: 'database',
    description: 'A database',
    schema: null,
    type_version: 1,
    outputs_schema: null,
    identity: null,
    earlier_versions: [],
    timeout_seconds: null,
    retry: null,
    cancellable: false,
    cancels_operations: false,
    concurrency: null,
    operation_limit_seconds: null,
    observable: false,
    observe_every: null,
    compare_defaults: false,
    listable: false,
    plan: false,
    adopt_schema: null,
    tags: null,
    retired: false,
    created_at: '2026-01-31T12:00:00.000Z',
    updated_at: '2026-01-31T12:00:00.000Z',
  });
});

it('has what a type declares, and of its options and versions only the members that are there', () => {
  const declared = presentDefinition({
    ...record,
    typeVersion: 3,
    retry: { maxDelaySeconds: 300 },
    observe: true,
    retired: { version: '20260131.120000', at: '2026-01-31T12:00:00.000Z' },
    earlierVersions: [
      { typeVersion: 1, schema },
      { typeVersion: 2, schema, outputsSchema: schema },
    ],
  });
  expect(declared).toMatchObject({ type_version: 3, observable: true, retired: true });
  expect(declared.retry).toEqual({ max_delay_seconds: 300 });
  expect(declared.earlier_versions).toEqual([
    { type_version: 1, schema },
    { type_version: 2, schema, outputs_schema: schema },
  ]);
});
