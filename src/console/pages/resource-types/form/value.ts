// The JSON value that the inputs of a form mean. Pure.
import { canonicalJson, type JsonValue, pointer } from '../../../../lib/json.ts';
import { isKeptNumber } from '../../../../lib/numbers.ts';
import { type JsonProblem, readJson } from '../../../components/text/json-text.ts';
import { empty, type Input, inputWith, type Row } from './input.ts';
import type { Field } from './model.ts';

export type FormProblem =
  /** `path`: the JSON Pointer of the value. */
  | { readonly path: string; readonly kind: 'json'; readonly json: JsonProblem }
  | { readonly path: string; readonly kind: 'number' | 'twice' | 'object' | 'reference' };

export interface FormReading {
  /** Undefined when nothing was typed. */
  readonly value: JsonValue | undefined;
  readonly problems: readonly FormProblem[];
  /** JSON Pointers of all fields that are shown. */
  readonly places: ReadonlySet<string>;
}

interface ValueReader {
  readonly problems: FormProblem[];
  readonly places: Set<string>;
}

/** @param path of the field, such as `/config` */
export function readingOf(field: Field, input: Input, path: string): FormReading {
  const reader: ValueReader = { problems: [], places: new Set() };
  const value = readField(reader, { field, input, path });
  return { value, ...reader };
}

interface FieldInput {
  readonly field: Field;
  readonly input: Input;
  readonly path: string;
}

function readField(reader: ValueReader, at: FieldInput): JsonValue | undefined {
  const { field, path } = at;
  reader.places.add(path);
  const value = typed(reader, at);
  return value === undefined && field.isRequired && field.isNullable ? null : value;
}

function typed(reader: ValueReader, { field, input, path }: FieldInput): JsonValue | undefined {
  if (field.kind === 'fixed') return field.value;
  if (input.kind === 'text') return scalarOf(reader, { field, path }, input.text);
  if (input.kind === 'variant') {
    if (field.kind !== 'variants') return undefined;
    const variant = field.variants[input.chosen]?.field;
    return variant && readField(reader, { field: variant, input: input.input, path });
  }
  if (input.kind === 'group') {
    if (field.kind !== 'group' || !input.isSet) return undefined;
    return definedMembers(
      field.members.map(({ name, field: member }) => {
        const at = { field: member, input: input.members.get(name) ?? empty };
        return [name, readField(reader, { ...at, path: pointer(path, name) })] as const;
      }),
    );
  }
  return rowsValue(reader, { field, path }, input.rows);
}

interface FieldPosition {
  readonly field: Field;
  readonly path: string;
}

function rowsValue(reader: ValueReader, { field, path }: FieldPosition, rows: readonly Row[]) {
  if (field.kind !== 'list' && field.kind !== 'record') return undefined;
  const { item, initial, isRequired } = field;
  const isMeant = isRequired || initial !== undefined;
  if (rows.length === 0 && !isMeant) return undefined;
  if (field.kind === 'list') {
    return rows.flatMap(({ input }, index) => {
      const value = readField(reader, { field: item, input, path: pointer(path, `${index}`) });
      return value === undefined ? [] : [value];
    });
  }
  const names = rows.map(({ name }) => name);
  if (new Set(names).size < names.length) reader.problems.push({ path, kind: 'twice' });
  return definedMembers(
    rows.map(({ name, input }) => {
      const value = readField(reader, { field: item, input, path: pointer(path, name) });
      return [name, name === '' ? undefined : value] as const;
    }),
  );
}

// Entries instead of assignments: `__proto__` is a legal name in JSON.
function definedMembers(entries: readonly (readonly [string, JsonValue | undefined])[]) {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function scalarOf(
  reader: ValueReader,
  { field, path }: FieldPosition,
  text: string,
): JsonValue | undefined {
  if (text === '') return undefined;
  switch (field.kind) {
    case 'text':
      return text;
    case 'boolean':
      return text === 'true';
    case 'choice':
      return field.options[Number(text)];
    case 'number':
      return readNumber(reader, path, text);
    case 'json':
      return readJsonField(reader, path, text);
    case 'fixed':
    case 'group':
    case 'list':
    case 'record':
    case 'variants':
      return undefined;
  }
}

function readNumber(reader: ValueReader, path: string, text: string): number | undefined {
  const value = Number(text);
  if (isKeptNumber(text.trim(), value) && text.trim() !== '') return value;
  reader.problems.push({ path, kind: 'number' });
  return undefined;
}

function readJsonField(reader: ValueReader, path: string, text: string): JsonValue | undefined {
  const found = readJson(text);
  if ('value' in found) return found.value;
  reader.problems.push({ path, kind: 'json', json: found.problem });
  return undefined;
}

/** @returns the input that means exactly the value; undefined when the fields cannot say it */
export function inputFor(field: Field, value: JsonValue): Input | undefined {
  const input = inputWith(field, value);
  const read = readingOf(field, input, '').value;
  return canonicalJson(read) === canonicalJson(value) ? input : undefined;
}
