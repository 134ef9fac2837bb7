// The outputs as rows: a path, as `fairlead outputs` takes it, and a value. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../../../lib/json.ts';

export interface OutputRow {
  /** Such as `hosts[0].name`. */
  readonly path: string;
  /** JSON Pointer in the outputs. */
  readonly pointer: string;
  readonly value: JsonValue;
  readonly isHidden: boolean;
}

/** Longer lists and deeper values are shown as one value. */
const maxRows = 500;

/** @param hidden JSON Pointers in the outputs; the empty one hides them all */
export function outputRows(outputs: JsonObject, hidden: ReadonlySet<string>): readonly OutputRow[] {
  const rows = [...rowsOf(outputs, { path: '', pointer: '', hidden })];
  if (rows.length <= maxRows) return rows;
  return Object.entries(outputs).map(([name, value]) => {
    const at = pointer('', name);
    const isHidden = [...hidden].some((each) => each === at || each.startsWith(`${at}/`));
    return { path: name, pointer: at, value, isHidden };
  });
}

interface At {
  readonly path: string;
  readonly pointer: string;
  readonly hidden: ReadonlySet<string>;
}

function* rowsOf(value: JsonValue, { path, pointer: at, hidden }: At): Iterable<OutputRow> {
  const members = membersOf(value);
  const isHidden = hidden.has(at);
  if (isHidden || (members.length === 0 && path !== ''))
    yield { path, pointer: at, value, isHidden };
  else {
    for (const [name, member] of members) {
      const within = { path: memberPath(path, name), pointer: pointer(at, `${name}`), hidden };
      yield* rowsOf(member, within);
    }
  }
}

function membersOf(value: JsonValue): readonly (readonly [string | number, JsonValue])[] {
  if (isJsonArray(value)) return [...value.entries()];
  return isJsonObject(value) ? Object.entries(value) : [];
}

function memberPath(path: string, name: string | number): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
