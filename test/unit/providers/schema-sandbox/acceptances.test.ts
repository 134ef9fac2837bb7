// Values that were validated before.
import { afterEach, expect, it } from 'vitest';
import { createSchemaSandbox } from '../../../../src/providers/schema-sandbox/index.ts';

const sandbox = createSchemaSandbox({ workers: 1 });
afterEach(() => sandbox.close());

const schema = { type: 'object', properties: { size: { type: 'integer' } } };

it('are accepted again without a worker, in any order of their members', async () => {
  expect(await sandbox.validate(schema, { size: 'x' }, 'acme')).toHaveLength(1);
  expect(await sandbox.validate(schema, { size: 'x' }, 'acme')).toHaveLength(1);
  expect(await sandbox.validate(schema, { size: 1, note: 'x' }, 'acme')).toEqual([]);
  await sandbox.close();
  expect(await sandbox.validate({ ...schema }, { note: 'x', size: 1 }, 'acme')).toEqual([]);
  const others = [
    sandbox.validate(schema, { note: 'x', size: 2 }, 'acme'),
    sandbox.validate(schema, { note: 'x', size: 1 }, 'other'),
    sandbox.validate({ ...schema, required: ['other'] }, { note: 'x', size: 1 }, 'acme'),
    sandbox.validate(schema, { size: 'x' }, 'acme'),
  ];
  for (const other of others) await expect(other).rejects.toMatchObject({ code: 'unavailable' });
});
