// What a worker takes beside its heap is limited, too: the memory of a container is that of all its threads.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSchemaSandbox } from '../../../../src/providers/schema-sandbox/index.ts';
import { sameNames } from '../../../support/worst-inputs/hostile-schemas.ts';
import { nested } from '../../../support/worst-inputs/hostile-values.ts';

const mb = () => process.memoryUsage().rss / 1_048_576;

it('[J12] stops code for which the compilers of V8 take hundreds of megabytes, in all workers at once', async () => {
  const sandbox = createSchemaSandbox({ workers: 3 });
  const before = mb();
  let most = before;
  let isDone = false;
  const watch = async () => {
    for (; !isDone; most = Math.max(most, mb())) await pause(20);
  };
  const watching = watch();
  const validate = async (tenant: string) => {
    const schema = { ...sameNames(), description: tenant };
    await expect(sandbox.validate(schema, nested(1), tenant)).rejects.toMatchObject({
      code: 'unavailable',
    });
  };
  await Promise.all(['one', 'two', 'three'].map(validate));
  isDone = true;
  await watching;
  await sandbox.close();
  expect(most - before, 'MB').toBeLessThan(500);
}, 60_000);
