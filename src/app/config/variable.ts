// Variables of the environment: a rule for the value of each, and its text in docs/configuration.md. The kinds of values.
import { z } from 'zod';

type Reader = 'api' | 'controller' | 'dev' | 'token' | 'kubectl';

interface VariableDescription {
  readonly meaning: string;
  /** Which verbs use the value. Every verb that reads settings checks all of them. */
  readonly readers: readonly Reader[];
  /** Allowed values in words, where the schema holds a pattern or nothing. */
  readonly allowed?: string;
  /** The default in words, where the schema has none. */
  readonly standard?: string;
}

/** Declares a variable. */
export function variable<Schema extends z.ZodType>(
  schema: Schema,
  is: VariableDescription,
): Schema {
  return schema.meta({ ...is });
}

/** @returns what was declared with a variable. @throws TypeError when nothing was */
export function descriptionOf(name: string, schema: z.ZodType): VariableDescription {
  const is = schema.meta();
  if (is?.['readers'] === undefined) throw new TypeError(`${name} is not declared by variable()`);
  return is as unknown as VariableDescription;
}

export const service = ['api', 'controller', 'dev'] as const;
export const serving = ['api', 'dev'] as const;
export const reconciling = ['controller', 'dev'] as const;

/** Values in words. */
export const yesOrNo = '`true` or `false`';

export const port = z.coerce.number().int().min(1).max(65_535);
export const cidrs = z
  .string()
  .default('')
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((all) => all.filter((each) => each !== ''))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()])));
export const milliseconds = z.coerce.number().int().min(1).max(86_400_000);

/** Where 0 means something, an empty text must not be read as 0. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, 0 or more')
  .transform(Number);

export const amount = (max: number) => z.coerce.number().int().min(1).max(max);
export const quantity = z
  .string()
  .regex(/^[1-9][0-9]{0,8}(?:Mi|Gi|Ti)$/, 'must be a quantity such as 200Gi');

/** Fields of a pod spec. Others could undo the isolation of tenants. */
export const PodScheduling = z.strictObject({
  runtimeClassName: z.string().min(1).max(253).optional(),
  priorityClassName: z.string().min(1).max(253).optional(),
  nodeSelector: z.record(z.string().max(317), z.string().max(63)).optional(),
  tolerations: z
    .array(
      z.strictObject({
        key: z.string().optional(),
        operator: z.enum(['Exists', 'Equal']).optional(),
        value: z.string().optional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
        tolerationSeconds: z.int().optional(),
      }),
    )
    .optional(),
});

export function parsedJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
}
