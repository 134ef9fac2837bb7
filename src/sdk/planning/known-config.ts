// The part of a config that is known while references have no values: parsed as far as that goes. A field that a reference will supply
// is absent, not its default, and a value of another form than an object is absent when a part of it is unknown.
import type { z } from 'zod';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../lib/json.ts';
import type { AnyObject } from '../call.ts';

export interface KnownConfig {
  /** Undefined when the schema has no fields, so that no part of the config can be parsed alone. */
  readonly value: AnyObject | undefined;
  /** Where the known values break the schema, as JSON Pointers. */
  readonly misfits: readonly { readonly path: string; readonly message: string }[];
}

/** @param unknown JSON Pointers of values that references will supply */
export function knownConfig(
  schema: z.ZodType,
  config: JsonObject,
  unknown: readonly string[],
): KnownConfig {
  const misfits: { path: string; message: string }[] = [];
  const places = new Set(unknown);
  const around = new Set(unknown.flatMap(pathsAround));

  function known(part: z.ZodType, value: JsonValue | undefined, at: string): unknown {
    if (places.has(at)) return absent;
    if (!around.has(at)) return parsed(part, value, at);
    const { shape } = fieldsOf(part);
    return shape === undefined || !isJsonObject(value) ? absent : members(shape, value, at);
  }

  function members(shape: SchemaFields, value: JsonObject, at: string): AnyObject {
    const found: [string, unknown][] = [];
    for (const name of new Set([...Object.keys(shape), ...Object.keys(value)])) {
      const place = pointer(at, name);
      const member = ownMember(value, name);
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      // A member that only the catchall of the schema permits has no form of its own.
      const read = field === undefined ? undescribed(member, place) : known(field, member, place);
      if (read !== absent && read !== undefined) found.push([name, read]);
    }
    return Object.fromEntries(found);
  }

  function parsed(part: z.ZodType, value: JsonValue | undefined, at: string): unknown {
    const { success, data, error } = part.safeParse(value);
    if (success) return data;
    for (const { path, message } of error.issues) {
      misfits.push({ path: path.map(String).reduce(pointer, at), message });
    }
    return absent;
  }

  function undescribed(value: JsonValue | undefined, at: string): unknown {
    return places.has(at) || around.has(at) ? absent : value;
  }

  const value = known(schema, config, '');
  return { value: value === absent ? undefined : (value as AnyObject), misfits };
}

const absent = Symbol('absent');

function pathsAround(path: string): readonly string[] {
  const all: string[] = [];
  for (let end = path.lastIndexOf('/'); end >= 0; end = path.slice(0, end).lastIndexOf('/')) {
    all.push(path.slice(0, end));
  }
  return all;
}

type SchemaFields = Readonly<Record<string, z.ZodType>>;

interface FieldsPart {
  readonly shape?: SchemaFields;
  readonly def?: { readonly type?: string; readonly innerType?: z.ZodType };
}

/** Forms of a schema around an object that do not change it. */
const wrappers: readonly string[] = ['optional', 'nullable', 'default', 'prefault', 'readonly'];

function fieldsOf(schema: z.ZodType): FieldsPart {
  const part = schema as unknown as FieldsPart;
  const { type = '', innerType } = part.def ?? {};
  return wrappers.includes(type) && innerType !== undefined ? fieldsOf(innerType) : part;
}
