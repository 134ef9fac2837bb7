// The schemas of a table of fields without defaults: as a custom resource stores it, with choices in capitals, and as the report of a
// build has it.
import { z } from 'zod';
import {
  type CountField,
  capitalized,
  type Field,
  type Fields,
  type GroupField,
  type Rule,
  type Rules,
  type SomeBody,
  type SparseField,
  type Stored,
  snakeCase,
  type TextField,
  type TextRule,
  type TextsField,
} from '../lib/fields.ts';
import { dateTime } from './define.ts';

type StoredShape<F extends Fields> = {
  [Name in keyof F]: z.ZodOptional<z.ZodType<NonNullable<Stored<F>[Name]>>>;
};

type ReportedShape<F extends Fields> = {
  [Name in keyof SomeBody<F>]-?: z.ZodOptional<z.ZodType<NonNullable<SomeBody<F>[Name]>>>;
};

export function storedShape<F extends Fields>(fields: F, rules: Rules<F>): StoredShape<F> {
  return shapeIn(fields, rules, (name) => name) as StoredShape<F>;
}

/** As the report of a build has it: with the names of bodies. */
export function reportedShape<F extends Fields>(fields: F, rules: Rules<F>): ReportedShape<F> {
  return shapeIn(fields, rules, snakeCase) as ReportedShape<F>;
}

export function countSchema({ min, max }: CountField): z.ZodInt {
  return z.int().min(min).max(max);
}

function shapeIn<F extends Fields>(
  fields: F,
  rules: Rules<F>,
  nameOf: (name: string) => string,
): Readonly<Record<string, z.ZodOptional>> {
  const members = Object.entries(fields).map(([name, field]) => {
    const rule = rules[name] as Rule;
    const schema = fieldSchema(field, rule, nameOf).optional().describe(rule.meaning);
    return [nameOf(name), schema] as const;
  });
  return Object.fromEntries(members);
}

function fieldSchema(field: Field, rule: Rule, nameOf: (name: string) => string): z.ZodType {
  switch (field.kind) {
    case 'flag':
      return z.boolean();
    case 'time':
      return dateTime;
    case 'count':
      return countSchema(field);
    case 'text':
      return boundedText(rule as Rule<TextField>);
    case 'texts': {
      const { item, maxItems } = rule as Rule<TextsField>;
      return z.array(boundedText(item)).max(maxItems);
    }
    case 'choice':
      return z.enum(field.choices.map(capitalized));
    case 'group':
      return membersSchema(field, rule as Rule<GroupField>, nameOf);
    case 'sparse':
      return membersSchema(field, rule as Rule<SparseField>, nameOf)
        .refine(isSome)
        .meta({ minProperties: 1 });
  }
}

function membersSchema<F extends Fields>(
  { fields }: { readonly fields: F },
  { members }: { readonly members: Rules<F> },
  nameOf: (name: string) => string,
) {
  return z.object(shapeIn(fields, members, nameOf));
}

function boundedText({ maxLength, pattern, isValid = () => true }: TextRule) {
  return z.string().max(maxLength).regex(pattern).refine(isValid);
}

function isSome(members: object): boolean {
  return Object.keys(members).length > 0;
}
