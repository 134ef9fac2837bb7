// The schemas of a table of fields, as requests and records have it.
import { z } from 'zod';
import {
  type Body,
  type CountField,
  type Field,
  type Fields,
  type GivenBody,
  type GroupField,
  type Rule,
  type Rules,
  type SparseField,
  snakeCase,
  type TextField,
  type TextRule,
  type TextsField,
  type TimeField,
} from '../../lib/fields.ts';
import { Timestamp } from './core.ts';

type GivenShape<F extends Fields> = {
  [Name in keyof GivenBody<F>]-?: z.ZodOptional<z.ZodType<Exclude<GivenBody<F>[Name], undefined>>>;
};
type NullableShape<F extends Fields> = {
  [Name in keyof GivenBody<F>]-?: z.ZodOptional<z.ZodType<GivenBody<F>[Name] | null>>;
};
type RecordShape<F extends Fields> = {
  [Name in keyof Body<F>]: z.ZodType<Body<F>[Name]>;
};

const notTime = 'Input should be a time such as 2026-02-01T08:00:00Z, or null';
const givenTime = z
  .string({ error: notTime })
  // RFC 3339 permits a lower-case t and z.
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true, error: notTime }));

/** Members of a request; those that it omits stay as they are. */
export function givenShape<F extends Fields>(fields: F, rules: Rules<F>): GivenShape<F> {
  return shaped(fields, rules, (field, rule) =>
    givenSchema(field, rule).optional(),
  ) as GivenShape<F>;
}

/** Members of a request; those that it omits or sets to null are the defaults. */
export function nullableShape<F extends Fields>(fields: F, rules: Rules<F>): NullableShape<F> {
  return shaped(fields, rules, (field, rule) => {
    const isFlag = field.kind === 'flag';
    const schema = isFlag
      ? z.boolean().nullable().describe(rule.meaning)
      : givenSchema(field, rule);
    return schema.optional();
  }) as NullableShape<F>;
}

function givenSchema(field: Field, rule: Rule): z.ZodType {
  if (field.kind === 'time') {
    return givenTime
      .nullable()
      .describe(`${rule.meaning} Null: never.`)
      .meta({ format: 'date-time', examples: ['2026-02-01T08:00:00Z'] });
  }
  if (field.kind === 'group') {
    return z
      .strictObject(givenShape(field.fields, (rule as Rule<GroupField>).members))
      .nullable()
      .describe(
        `${rule.meaning} Replaced as a whole: absent members are the defaults. Null: all of them.`,
      );
  }
  return valueSchema(field, rule);
}

/** Members of a record. */
export function recordShape<F extends Fields>(fields: F, rules: Rules<F>): RecordShape<F> {
  return shaped(fields, rules, recordSchema) as RecordShape<F>;
}

function recordSchema(field: Field, rule: Rule): z.ZodType {
  if (field.kind === 'time') return Timestamp.nullable().describe(`${rule.meaning} Null: never.`);
  if (field.kind === 'group') {
    const { meaning, members } = rule as Rule<GroupField>;
    return z.object(recordShape(field.fields, members)).describe(meaning);
  }
  return valueSchema(field, rule);
}

function valueSchema(field: Exclude<Field, TimeField | GroupField>, rule: Rule): z.ZodType {
  switch (field.kind) {
    case 'flag':
      return z.boolean().describe(rule.meaning);
    case 'choice':
      return z.enum(field.choices).describe(rule.meaning);
    case 'count':
      return numberSchema(field).nullable().describe(rule.meaning);
    case 'text': {
      const examples = [(rule as Rule<TextField>).example];
      const schema = textSchema(rule as Rule<TextField>).nullable();
      return schema.describe(rule.meaning).meta({ examples });
    }
    case 'texts': {
      const { item, maxItems } = rule as Rule<TextsField>;
      const schema = z.array(textSchema(item)).max(maxItems);
      return schema.describe(rule.meaning).meta({ examples: [[item.example]] });
    }
    case 'sparse': {
      const { meaning, example } = rule as Rule<SparseField>;
      const schema = sparseSchema(field, rule as Rule<SparseField>).nullable();
      return schema.describe(meaning).meta({ examples: [example] });
    }
  }
}

function sparseSchema({ fields }: SparseField, { members }: Rule<SparseField>): z.ZodType {
  const shape = shaped(fields, members, (field, { meaning }) =>
    numberSchema(field as CountField)
      .optional()
      .describe(meaning),
  );
  const error = `Set ${Object.keys(shape).join(', ')}, or both`;
  return z
    .strictObject(shape)
    .refine((given) => Object.keys(given).length > 0, { error })
    .meta({ minProperties: 1 });
}

function numberSchema({ min, max }: CountField): z.ZodType<number> {
  return z.int().min(min).max(max);
}

function textSchema({ maxLength, pattern, rule, isValid }: TextRule): z.ZodType<string> {
  const error = `Input should be ${rule}`;
  return isValid === undefined
    ? z.string().max(maxLength).regex(pattern, { error })
    : z.string().refine(isValid, { error });
}

function shaped<F extends Fields>(
  fields: F,
  rules: Rules<F>,
  schemaOf: (field: Field, rule: Rule) => z.ZodType,
): Readonly<Record<string, z.ZodType>> {
  const members = Object.entries(fields).map(([name, field]) => [
    snakeCase(name),
    schemaOf(field, rules[name] as Rule),
  ]);
  return Object.fromEntries(members);
}
