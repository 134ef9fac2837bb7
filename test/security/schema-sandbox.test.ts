// Real workers, hostile schemas: whatever is registered, the next caller is served.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { SchemaSandbox } from '../../src/domain/schemas/schema.ts';
import type { JsonObject, JsonValue } from '../../src/lib/json.ts';
import {
  createSchemaSandbox,
  type SchemaSandboxOptions,
} from '../../src/providers/schema-sandbox/index.ts';

let sandbox: SchemaSandbox | undefined;
afterEach(() => sandbox?.close());

function open(options: SchemaSandboxOptions = {}): SchemaSandbox {
  sandbox = createSchemaSandbox(options);
  return sandbox;
}

const plain: JsonObject = { type: 'object', properties: { size: { type: 'integer' } } };

/** Small, quickly compiled, and doubling its work with every level of the value. */
const slow: JsonObject = {
  properties: { a: { allOf: [{ not: { $ref: '#' } }, { not: { $ref: '#/$defs/same' } }] } },
  $defs: {
    same: {
      properties: {
        a: {
          allOf: [
            { not: { $ref: '#/$defs/same' } },
            { not: { not: { not: { $ref: '#/$defs/same' } } } },
          ],
        },
      },
    },
  },
};

function deep(levels: number): JsonValue {
  return levels === 0 ? 1 : { a: deep(levels - 1) };
}

/** Objects that are compared member by member, each with all others. */
const unique: JsonObject = { properties: { list: { type: 'array', uniqueItems: true } } };
const manyObjects = {
  list: Array.from({ length: 40_000 }, (_, i) => ({ a: { b: 1 }, i })),
};

const text = (pattern: string): JsonObject => ({
  type: 'object',
  properties: { text: { type: 'string', pattern } },
});

/** @returns the niceness of every thread of this process that has any */
async function niceThreads(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const stats = await Promise.all(
    // A thread may end before it is read.
    threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => '')),
  );
  // The 19th field; the second, which may hold spaces, ends with the last parenthesis.
  const fields = stats.map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '));
  return fields.map((field) => Number(field[16] ?? 0)).filter((niceness) => niceness !== 0);
}

describe('the sandbox', () => {
  it('[J10] distinguishes valid from invalid values, and modifies neither', async () => {
    const box = open();
    const schema = {
      ...plain,
      required: ['size'],
      properties: { size: { type: 'integer', default: 3 } },
    };
    const value = Object.freeze({ size: '3', other: 1 });
    expect(await box.checkSchema(schema)).toEqual([]);
    expect(await box.validate(schema, { size: 3 })).toEqual([]);
    expect(await box.validate(schema, value)).toEqual([
      { loc: ['size'], type: 'int_type', msg: 'Input should be a valid integer', input: '3' },
    ]);
    expect(await box.validate(schema, {})).toMatchObject([{ loc: ['size'], type: 'missing' }]);
  });

  it.each<JsonObject>([
    { writeOnly: true },
    { sensitive: true },
    { sensitive: false },
    { format: 'password' },
    { writeOnly: true, sensitive: true, format: 'password' },
    { immutable: true },
    { immutable: false },
  ])('validates a text that is marked by %o like any other', async (marks) => {
    const box = open();
    const schema = { properties: { key: { type: 'string', minLength: 2, ...marks } } };
    expect(await box.checkSchema(schema)).toEqual([]);
    expect(await box.validate(schema, { key: 'ab' })).toEqual([]);
    expect(await box.validate(schema, { key: 'a' })).toMatchObject([{ loc: ['key'] }]);
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*.*=.*)+b'])(
    '[J03] answers at once for %s, on which backtracking engines hang',
    async (pattern) => {
      const box = open();
      expect(await box.checkSchema(text(pattern))).toEqual([]);
      const violations = await box.validate(text(pattern), { text: `${'a'.repeat(5_000)}!` });
      expect(violations).toMatchObject([{ loc: ['text'], type: 'string_pattern_mismatch' }]);
    },
  );

  it.each(['(a{1000}){1000}', '(?=a)', '(?<=a)b', '(a)\\1', '['])(
    '[J03] rejects the pattern %s by name',
    async (pattern) => {
      const violations = await open().checkSchema(text(pattern));
      expect(violations).toHaveLength(1);
      expect(violations[0]?.loc).toEqual(['properties', 'text', 'pattern']);
      expect(violations[0]?.msg).toContain(`'${pattern}'`);
    },
  );

  it.each([
    ['doubles its work with every level', slow, deep(60)],
    ['compares everything with everything', unique, manyObjects],
  ] as const)(
    '[J04] aborts a schema that %s, and serves the next caller',
    async (_, schema, value) => {
      const box = open({ workers: 1, validateMs: 300 });
      expect(await box.checkSchema(schema)).toEqual([]);
      const cut = box.validate(schema, value);
      const next = box.validate(plain, { size: 1 });
      await expect(cut).rejects.toMatchObject({ code: 'unavailable' });
      expect(await next).toEqual([]);
    },
  );

  it('[J04] rejects a registration that takes too long to compile', async () => {
    const box = open({ workers: 1, checkMs: 1 });
    const properties = Object.fromEntries(
      Array.from(
        { length: 60 },
        (_, i) => [`p${i}`, { pattern: `${i}${'a{1000}'.repeat(20)}` }] as const,
      ),
    );
    expect(await box.checkSchema({ properties })).toMatchObject([
      { loc: [], msg: 'Schema takes too long to compile' },
    ]);
    expect(await box.validate(plain, { size: 1 })).toEqual([]);
  });

  it('[J04] does not run a schema again that was aborted three times', async () => {
    const box = open({ workers: 1, validateMs: 100 });
    for (let i = 0; i < 3; i += 1) {
      await expect(box.validate(slow, deep(60))).rejects.toMatchObject({ name: 'FairleadError' });
    }
    const forGood = { code: 'unavailable', name: 'UnusableSchema' };
    await expect(box.validate(slow, deep(60))).rejects.toMatchObject(forGood);
    // It may be judged well, once the schema is let in again.
    await expect(box.validate(slow, {})).rejects.toMatchObject({ name: 'FairleadError' });
    expect(await box.validate(plain, { size: 1 })).toEqual([]);
  });

  it('[I7] limits a tenant with hostile values to one worker, without delaying the others', async () => {
    const box = open({ workers: 2, validateMs: 3_000, queueLimit: 40 });
    const honest = (tenant: string) => box.validate(plain, { size: 1 }, tenant);
    await Promise.all([honest('calm'), box.validate(plain, { size: 1 })]);
    const hostile = Array.from({ length: 8 }, () => {
      // Each with a hash of its own, so that none is struck out.
      return box.validate({ ...slow, description: randomUUID() }, deep(60), 'hostile');
    });
    const refused = Promise.allSettled(hostile);
    const started = performance.now();
    for (let i = 0; i < 20; i += 1)
      expect(await honest(i % 2 === 0 ? 'calm' : 'other')).toEqual([]);
    expect(performance.now() - started, 'not a single hostile job').toBeLessThan(3_000);
    await box.close();
    expect((await refused).map(({ status }) => status)).not.toContain('fulfilled');
  });

  it.runIf(process.platform === 'linux')(
    '[I7] validates an aborted request once more, after all others',
    async () => {
      const box = open({ validateMs: 200 });
      await expect(box.validate(slow, deep(55), 'hostile')).rejects.toThrow('could not be checked');
      expect(await box.validate(plain, { size: 3 }, 'honest')).toEqual([]);
      expect(await niceThreads()).toEqual([]);
      expect(await box.validate(plain, { size: 3 }, 'hostile')).toEqual([]);
      expect(await niceThreads()).toEqual([10]);
    },
  );

  it('[I7] has room for others when one tenant has filled its part of the queue', async () => {
    const box = open({ workers: 2, queueLimit: 8 });
    const started = [box.validate(plain, {}, 'full'), box.validate(plain, {}, 'full')];
    await expect(box.validate(plain, {}, 'full')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await box.validate(plain, {}, 'other')).toEqual([]);
    await Promise.all(started);
  });

  it('[I7] does not disable the schema of one tenant for values of another', async () => {
    const box = open({ workers: 2, validateMs: 100 });
    for (let i = 0; i < 4; i += 1) {
      await expect(box.validate(slow, deep(60), 'hostile')).rejects.toMatchObject({
        code: 'unavailable',
      });
    }
    expect(await box.validate(slow, { b: 1 }, 'calm')).toEqual([]);
  });

  it('[J01] never accepts values for a stored schema that registration would reject', async () => {
    const box = open();
    await expect(box.validate({ $async: true, ...plain }, { size: 'x' })).rejects.toMatchObject({
      code: 'unavailable',
      name: 'UnusableSchema',
    });
  });

  it('[J08] validates two hundred values concurrently, each with its own schema', async () => {
    const box = open();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const schema = { properties: { n: { const: i % 20 } } };
        return box.validate(schema, { n: i < 100 ? i % 20 : -1 });
      }),
    );
    expect(answers.map((violations) => violations.length)).toEqual(
      Array.from({ length: 200 }, (_, i) => (i < 100 ? 0 : 1)),
    );
  });

  it('[J15] reports at most twenty violations, and no large value in full', async () => {
    const box = open();
    const schema = { properties: { list: { items: { type: 'string' } } } };
    const answers = await box.validate(schema, {
      list: Array.from({ length: 1_000 }, (_, i) => i),
    });
    expect(answers).toHaveLength(20);
    const big = await box.validate(schema, { list: Array.from({ length: 100_000 }, (_, i) => i) });
    expect(big).toMatchObject([{ loc: ['list', 0], type: 'string_type' }]);
  });

  it('[J02] leaves no unhandled rejection, after any rejection or abort', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const box = open({ workers: 1, validateMs: 50 });
      const bad = { $async: true, required: ['a'] };
      expect(await box.checkSchema(bad)).toMatchObject([{ loc: ['$async'] }]);
      await expect(box.validate(bad, {})).rejects.toMatchObject({ code: 'unavailable' });
      await expect(box.validate(slow, deep(60))).rejects.toMatchObject({ code: 'unavailable' });
      await new Promise((turned) => setImmediate(turned));
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).toEqual([]);
  });

  it('[J12] releases the memory of thousands of schemas', async () => {
    const box = open({ workers: 1 });
    const many = async (from: number) => {
      for (let i = from; i < from + 1_500; i += 1) {
        await box.validate({ properties: { [`p${i}`]: { const: `${i}`.repeat(50) } } }, {});
      }
    };
    await many(0);
    const before = process.memoryUsage().rss;
    await many(1_500);
    expect((process.memoryUsage().rss - before) / 1_048_576, 'MB').toBeLessThan(64);
    // It is about memory: three thousand schemas take what time they take on a machine that is busy.
  }, 120_000);

  it('[J15] repeats only the beginning of the content of a schema or value', async () => {
    const box = open();
    const long = 'x'.repeat(50_000);
    const violations = await box.validate(
      { properties: { a: { const: long } } },
      { a: `${long}y` },
    );
    expect(violations).toHaveLength(1);
    expect(violations[0]?.msg.length).toBeLessThan(2_000);
    expect(JSON.stringify(violations[0]?.ctx ?? {}).length).toBeLessThan(2_000);
  });

  it('reports only that it is full, or closed', async () => {
    const box = open({ workers: 1, queueLimit: 1 });
    const first = box.validate(plain, {});
    await expect(box.validate(plain, {})).rejects.toMatchObject({ code: 'unavailable' });
    expect(await first).toEqual([]);
    const unfinished = box.validate(slow, deep(60));
    const refused = expect(unfinished).rejects.toMatchObject({ code: 'unavailable' });
    await box.close();
    await refused;
    await expect(box.validate(plain, { size: 2 })).rejects.toMatchObject({ code: 'unavailable' });
  });

  /** @returns what a process prints that ends once nothing keeps it alive */
  async function printed(expression: string): Promise<string> {
    const source = new URL('../../src/providers/schema-sandbox/index.ts', import.meta.url);
    const program = `
      import { createSchemaSandbox } from ${JSON.stringify(source.href)};
      const sandbox = createSchemaSandbox({ workers: 1, validateMs: 300 });
      process.stdout.write(${expression});
    `;
    const args = ['--input-type=module', '-e', program];
    return (await promisify(execFile)(process.execPath, args, { timeout: 15_000 })).stdout;
  }

  it('does not keep a process alive with idle workers', async () => {
    const validate = "sandbox.validate({ required: ['a'] }, { a: 1 })";
    expect(await printed(`JSON.stringify(await ${validate})`)).toBe('[]');
  });

  it('keeps a process alive while a worker is measured', async () => {
    const validate = `sandbox.validate(${JSON.stringify(slow)}, ${JSON.stringify(deep(60))})`;
    expect(await printed(`await ${validate}.catch(({ code }) => code)`)).toBe('unavailable');
  });
});
