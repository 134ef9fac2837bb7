// A value that breaks a pattern is answered with a sentence: people do not read regular expressions.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '../../../src/api/contract.ts';

function patternsWithoutSentence(schema: z.ZodType): string[] {
  const found: string[] = [];
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema: { _zod: zod }, path }) {
      for (const { _zod: check } of zod.def.checks ?? []) {
        const { format, error } = check.def as { format?: string; error?: unknown };
        if (format === 'regex' && error === undefined) found.push(path.join('.'));
      }
    },
  });
  return found;
}

it.each(Object.entries(contract))('%s has a sentence for each pattern', (_name, exchange) => {
  const parts = ['path', 'query', 'body'] as const;
  const found = parts.flatMap((part) => {
    const schema = (exchange as Partial<Record<typeof part, z.ZodType>>)[part];
    return schema === undefined
      ? []
      : patternsWithoutSentence(schema).map((place) => `${part}: ${place}`);
  });
  expect(found).toEqual([]);
});
