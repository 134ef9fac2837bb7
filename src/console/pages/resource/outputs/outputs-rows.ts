// The outputs as rows: a path, as `fairlead outputs` takes it, and a value. Pure.
import { outputName } from '../../../../domain/references/grammar.ts';
import { type JsonObject, type JsonValue, pointer } from '../../../../lib/json.ts';

export interface OutputRow {
  /** Such as `hosts.0.name`; `outputs` for all. */
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
  const rows = [...rowsOf(outputs, { path: [], hidden })];
  if (rows.length <= maxRows) return rows;
  return Object.entries(outputs).map(([name, value]) => {
    const at = pointer('', name);
    const isHidden = [...hidden].some((each) => each === at || each.startsWith(`${at}/`));
    return { path: outputName([name]), pointer: at, value, isHidden };
  });
}

function* rowsOf(
  value: JsonValue,
  { path, hidden }: { path: readonly string[]; hidden: ReadonlySet<string> },
): Iterable<OutputRow> {
  const members = membersOf(value);
  const at = path.reduce(pointer, '');
  const isHidden = hidden.has(at);
  if (isHidden || (members.length === 0 && path.length > 0))
    yield { path: outputName(path), pointer: at, value, isHidden };
  else {
    for (const [name, member] of members) yield* rowsOf(member, { path: [...path, name], hidden });
  }
}

function membersOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
