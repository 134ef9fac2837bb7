// Makes a config that declares what was observed: each value that differs is replaced. What cannot be declared truly is refused as a
// whole, as half of it would be another drift. Pure.
import { referencesIn } from '../domain/references.ts';
import {
  atPointer,
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerNames,
} from '../lib/json.ts';
import { type DriftRecord, type DriftRow, driftRows } from './drift-look.ts';
import { figure } from './time.ts';

export type FromActual =
  | { readonly config: JsonObject }
  | { /** A sentence with what to do instead. */ readonly refusal: string };

/** @param config as it is declared, with its references */
export function configFromActual(config: JsonObject, drift: DriftRecord): FromActual {
  const rows = driftRows(drift);
  const refusal = refusalOf(config, drift, rows);
  if (refusal !== undefined) return { refusal };
  const declared = rows.reduce<JsonValue>(
    (value, { path, actual = null }) => withValueAt(value, pointerNames(path), actual),
    config,
  );
  return { config: declared as JsonObject };
}

function refusalOf(
  config: JsonObject,
  { kind, total }: DriftRecord,
  rows: readonly DriftRow[],
): string | undefined {
  if (kind === 'gone') {
    return 'There is nothing to declare, as the object does not exist. Correct it, which creates it again, or delete the resource.';
  }
  if (total > rows.length) {
    return `Only ${figure(rows.length)} of ${figure(total)} values that differ are recorded. Declare them by hand.`;
  }
  const problem = problems.find(([is]) => rows.some((row) => is(config, row)));
  if (problem === undefined) return undefined;
  const [is, sentence] = problem;
  const paths = rows.filter((row) => is(config, row)).map(({ path }) => path);
  return sentence(paths.join(', '));
}

type Test = (config: JsonObject, row: DriftRow) => boolean;

/** The first one is named. */
const problems: readonly (readonly [Test, (paths: string) => string])[] = [
  [
    (_, { actual }) => actual === undefined,
    (paths) =>
      `These values contain a secret, or are too long to be recorded: ${paths}. Declare them by hand, or correct the object.`,
  ],
  [
    (config, { path }) => holdsReference(nearest(config, path)),
    (paths) =>
      `The config takes these values from other resources: ${paths}. Replace the references by hand, or correct the object.`,
  ],
  [
    (config, { path, declared }) => !isSame(atPointer(config, path), declared),
    (paths) =>
      `The config has changed since these values were compared: ${paths}. Observe the resource again.`,
  ],
  [
    (_, { actual }) => holdsReference(actual),
    (paths) => `These values would be read as references: ${paths}. Declare them by hand.`,
  ],
];

/** Also the escape of what would be one: it is applied as another text than it is written. */
function holdsReference(value: JsonValue = null): boolean {
  return referencesIn({ value }).length > 0 || JSON.stringify(value).includes('$${');
}

/** @returns the value at a place, or the text above it that stands for all below */
function nearest(config: JsonObject, path: string): JsonValue | undefined {
  const found = atPointer(config, path);
  if (found !== undefined) return found;
  const names = path.split('/');
  for (let length = names.length - 1; length > 1; length -= 1) {
    const above = atPointer(config, names.slice(0, length).join('/'));
    if (typeof above === 'string') return above;
  }
  return undefined;
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left !== undefined && canonicalJson(left) === canonicalJson(right);
}

function withValueAt(value: JsonValue, names: readonly string[], wanted: JsonValue): JsonValue {
  const [name, ...rest] = names;
  if (name === undefined) return wanted;
  if (isJsonArray(value)) {
    return value.map((item, at) => (`${at}` === name ? withValueAt(item, rest, wanted) : item));
  }
  if (!isJsonObject(value)) return value;
  // fromEntries, as an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === name ? withValueAt(member, rest, wanted) : member,
    ]),
  );
}
