// Finds the values that people declared in a config, which a step of a migration receives as they were written. No default is filled
// in, so none can be passed on as if somebody had declared it.
import type { z } from 'zod';
import { isJsonArray, isJsonObject } from '../../lib/json.ts';

type Schema = z.core.$ZodType;

/**
 * @param value a value that fits the schema, or has references where values will be
 * @returns the declared members that the schema knows: an object that ignores other members has lost them, and nothing else changes
 * @example
 * ```ts
 * declaredPart(z.object({ size: z.int(), tier: z.string().default('small') }), { size: 3, more: 1 }); // { size: 3 }
 * ```
 */
export function declaredPart(schema: Schema, value: unknown): unknown {
  if (isJsonObject(value)) return knownMembers(schema, value);
  return isJsonArray(value) ? value.map(itemPart(schema, value)) : value;
}

function knownMembers(schema: Schema, value: object): object {
  const { def } = within(schema, value)._zod;
  const { shape = {}, catchall, valueType: other = catchall } = def as MembersDef;
  // Neither an object nor a record: nothing is known of its members.
  if (def.type !== 'object' && def.type !== 'record') return value;
  const known = Object.entries(value).flatMap(([name, member]) => {
    const own = Object.hasOwn(shape, name) ? shape[name] : other;
    return own === undefined ? [] : [[name, declaredPart(own, member)] as const];
  });
  return Object.fromEntries(known);
}

interface MembersDef {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly valueType?: Schema;
}

function itemPart(schema: Schema, value: unknown): (item: unknown, index: number) => unknown {
  const { element, items, rest } = within(schema, value)._zod.def as ItemsDef;
  return (item, index) => {
    const own = items?.[index] ?? rest ?? element;
    return own === undefined ? item : declaredPart(own, item);
  };
}

interface ItemsDef {
  readonly element?: Schema;
  readonly items?: readonly Schema[];
  readonly rest?: Schema | null;
}

interface WrapperDef {
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly getter?: () => Schema;
  readonly options?: readonly z.ZodType[];
}

/** @returns the schema behind those that add something to it, such as a default; of a union the one that the value fits */
function within(schema: Schema, value: unknown): Schema {
  const { innerType, in: first, getter, options } = schema._zod.def as WrapperDef;
  const fitting = options?.find((each) => each.safeParse(value).success);
  const inner = innerType ?? first ?? getter?.() ?? fitting;
  return inner === undefined ? schema : within(inner, value);
}
