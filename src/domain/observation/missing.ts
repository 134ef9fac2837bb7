// Finds the fields that a config read from an object lacks: those that its schema requires, and secrets, which nobody reads. Pure.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
  pointer,
} from '../../lib/json.ts';
import { type Applying, drawnIn, isSecret, listIn, ofMember } from '../schemas/applying-schemas.ts';

export interface MissingField {
  /** JSON Pointer in the config. */
  readonly path: string;
  readonly secret: boolean;
  readonly required: boolean;
}

/** A schema that refers to itself has no last field. */
const maxDepth = 32;
const maxFields = 200;

/**
 * @returns the fields, those of an object before those below it; nothing below one that lacks
 * @example missingFields({ required: ['size'], properties: { size: {} } }, {}) // [{ path: '/size', secret: false, required: true }]
 */
export function missingFields(
  schema: JsonObject | null,
  config: JsonObject,
): readonly MissingField[] {
  const root = schema ?? {};
  const found: MissingField[] = [];
  const waiting: Part[] = [{ applying: drawnIn(root, [root]), value: config, path: '', depth: 1 }];
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    for (const name of namesIn(part.applying)) {
      const below = drawnIn(root, ofMember(part.applying, name));
      const member = ownMember(part.value, name);
      const path = pointer(part.path, name);
      if (member === undefined) found.push(...lacking(part, name, { path, below }));
      if (!isJsonObject(member) || part.depth === maxDepth) continue;
      waiting.push({ applying: below, value: member, path, depth: part.depth + 1 });
    }
  }
  return found.slice(0, maxFields);
}

interface Part {
  readonly applying: Applying;
  readonly value: JsonObject;
  readonly path: string;
  readonly depth: number;
}

function lacking(
  { applying }: Part,
  name: string,
  { path, below }: { readonly path: string; readonly below: Applying },
): readonly MissingField[] {
  const secret = [...below].some(isSecret);
  const required = [...applying].some((each) => requires(each, name));
  return secret || required ? [{ path, secret, required }] : [];
}

function namesIn(applying: Applying): ReadonlySet<string> {
  return new Set(
    [...applying].flatMap((schema) => {
      const properties = ownMember(schema, 'properties');
      const declared = isJsonObject(properties) ? Object.keys(properties) : [];
      return [...declared, ...listIn(ownMember(schema, 'required')).filter(isText)];
    }),
  );
}

function requires(schema: JsonObject, name: string): boolean {
  return listIn(ownMember(schema, 'required')).includes(name);
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string';
}
