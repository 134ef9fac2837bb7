// What tenants write costs little, whatever they write: `npm run bench -- worst-inputs` measures the same inputs.
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inspectSchema } from '../../src/providers/schema-sandbox/rules.ts';
import { counted } from '../support/worst-inputs/counted.ts';
import { hostileSchemas } from '../support/worst-inputs/hostile-schemas.ts';
import { worstInputs } from '../support/worst-inputs/index.ts';
import { pureFolders, takersIn } from '../support/worst-inputs/takers.ts';
import { withoutInput } from '../support/worst-inputs/without-input.ts';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** The size of a schema: a smaller input may cost as much. */
const leastBytes = 65_536;
/** What is linear reads each value two to five times, and a value has two bytes at least. */
const maxReadsPerByte = 12;

describe('the worst inputs', () => {
  it.each(worstInputs.map((row) => [row.of, row.input, row] as const))(
    '[H32] of %s are read a few times: %s',
    (_of, _input, { args, call }) => {
      const given = args();
      const bytes = Math.max(leastBytes, JSON.stringify(given).length);
      const reads = { count: 0 };
      call(...(given.map((each) => counted(each, reads)) as never[]));
      expect(reads.count / bytes).toBeLessThan(maxReadsPerByte);
    },
  );

  it.each(Object.entries(hostileSchemas))('have schemas that are accepted: %s', (_name, schema) => {
    expect(inspectSchema(schema()).violations).toEqual([]);
  });

  it('are there for each function that takes what a tenant wrote', async () => {
    const known = new Set([...worstInputs.map(({ of }) => of), ...withoutInput]);
    const takers: string[] = [];
    for await (const path of glob(`{${pureFolders.join()}}/**/*.ts`, { cwd: source })) {
      const names = takersIn(await readFile(`${source}${path}`, 'utf8'));
      takers.push(...names.map((name) => `${path.replace(/\.ts$/, '')} ${name}`));
    }
    // A new function needs a row in test/support/worst-inputs, or a reason in without-input.ts.
    expect(takers.filter((taker) => !known.has(taker))).toEqual([]);
    expect(withoutInput.filter((name) => !takers.includes(name))).toEqual([]);
  });
});
