// The schema of a table of fields as a custom resource stores it: without defaults, and with choices in capitals.
import { z } from 'zod';
import {
  capitalized,
  type Field,
  type Fields,
  type GroupField,
  type Rule,
  type Rules,
  type Stored,
  type TextField,
  type TextRule,
  type TextsField,
} from '../lib/fields.ts';
import { dateTime } from './define.ts';

type StoredShape<F extends Fields> = {
  [Name in keyof F]: z.ZodOptional<z.ZodType<NonNullable<Stored<F>[Name]>>>;
};

export function storedShape<F extends Fields>(fields: F, rules: Rules<F>): StoredShape<F> {
  const members = Object.entries(fields).map(([name, field]) => {
    const rule: Rule = (rules as Rules<Fields>)[name] as Rule;
    return [name, fieldSchema(field, rule).optional().describe(rule.meaning)] as const;
  });
  return Object.fromEntries(members) as unknown as StoredShape<F>;
}

function fieldSchema(field: Field, rule: Rule): z.ZodType {
  switch (field.kind) {
    case 'flag':
      return z.boolean();
    case 'time':
      return dateTime;
    case 'text':
      return boundedText(rule as Rule<TextField>);
    case 'texts': {
      const { item, maxItems } = rule as Rule<TextsField>;
      return z.array(boundedText(item)).max(maxItems);
    }
    case 'choice':
      return z.enum(field.choices.map(capitalized));
    case 'group':
      return z.object(storedShape(field.fields, (rule as Rule<GroupField>).members));
  }
}

function boundedText({ maxLength, pattern }: TextRule) {
  return z.string().max(maxLength).regex(pattern);
}
