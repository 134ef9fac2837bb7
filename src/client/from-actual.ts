// Makes a config that declares what was observed: each value that differs is replaced. A drift that cannot be declared truly is refused as a
// whole, as half of it would be another drift. Pure.
import type { ResourceRecord } from '../api/shapes.ts';
import { slashed } from '../domain/identity.ts';
import { literal } from '../domain/references/literal.ts';
import { type Reference, referencesIn } from '../domain/references/references.ts';
import {
  atPointer,
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
  pointerNames,
} from '../lib/json.ts';
import { figure } from '../lib/text.ts';
import type { Drift } from './drift.ts';
import { isInDeletion } from './shown-state.ts';
import { type DriftRow, driftRows } from './words/drift-text.ts';

/** The alternatives: words of the command line, for which the console has buttons. */
const alternatives = {
  edit: 'declare them by hand',
  correct: 'correct the object',
  observe: 'observe the resource again',
  delete: 'delete the resource',
  wait: 'wait until it is ready',
} as const;

type Alternative = keyof typeof alternatives;

export interface Undeclarable {
  /** Why nothing is declared, without a full stop. */
  readonly reason: string;
  /** The paths of the values that stand in the way. */
  readonly paths: readonly string[];
  readonly instead: readonly Alternative[];
}

type FromActual = { readonly config: JsonObject } | { readonly undeclarable: Undeclarable };

type DeclaringRecord = Pick<
  ResourceRecord,
  'provider' | 'resource' | 'name' | 'config' | 'lifecycle_state' | 'deletion_requested_at'
>;

export function configFromActual(record: DeclaringRecord, drift: Drift): FromActual {
  const { config } = record;
  const rows = driftRows(drift);
  const undeclarable = stateInTheWay(record, drift) ?? valuesInTheWay(record, rows);
  if (undeclarable !== undefined) return { undeclarable };
  const declared = rows.reduce<JsonValue>(
    (value, { path, actual = null }) => withValueAt(value, pointerNames(path), literal(actual)),
    config,
  );
  return { config: declared as JsonObject };
}

/**
 * @param commandFor writes a command behind each
 * @example insteadText({ instead: ['edit', 'correct'] }) // Declare them by hand, or correct the object.
 */
export function insteadText(
  { instead }: Pick<Undeclarable, 'instead'>,
  commandFor?: (verb: Alternative) => string,
): string {
  const text = instead
    .map((verb) => `${alternatives[verb]}${commandFor ? `: ${commandFor(verb)}` : ''}`)
    .join(', or ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${commandFor || text === '' ? '' : '.'}`;
}

function stateInTheWay(
  record: DeclaringRecord,
  { kind, changes, total }: Drift,
): Undeclarable | undefined {
  const ref = slashed(record);
  const because = (reason: string, ...instead: Alternative[]) => ({
    reason,
    paths: [],
    instead,
  });
  if (isInDeletion(record)) return because(`${ref} is being deleted`);
  if (kind === 'gone') {
    return because(
      `The object of ${ref} does not exist any more, so there is nothing to declare`,
      ...(['correct', 'delete'] as const),
    );
  }
  if (record.lifecycle_state !== 'ready') {
    return because(`${ref} is not ready, so its config is not the one that was compared`, 'wait');
  }
  if (total <= changes.length) return undefined;
  const [all, recorded] = [figure(total), figure(changes.length)];
  return because(
    `${ref} differs in ${all} values, of which only ${recorded} are recorded`,
    ...(['edit', 'correct'] as const),
  );
}

interface Obstacle {
  readonly is: (row: DriftRow) => boolean;
  readonly reason: string;
  readonly instead: readonly Alternative[];
}

/** The first one is named. */
function valuesInTheWay(
  record: DeclaringRecord,
  rows: readonly DriftRow[],
): Undeclarable | undefined {
  const { config } = record;
  const ref = slashed(record);
  const references = referencesIn(config);
  const obstacles: readonly Obstacle[] = [
    {
      is: ({ actual }) => actual === undefined,
      reason: `${ref} differs in values that contain a secret, or are too long to be recorded`,
      instead: ['edit', 'correct'],
    },
    {
      is: ({ path }) => references.some(({ at }) => touches(path, at)),
      reason: `${ref} differs in values that references declare, and the outputs of other resources stay as they are`,
      instead: ['edit', 'correct'],
    },
    {
      is: ({ path, declared }) => !isDeclaredValue(atPointer(config, path), declared),
      reason: `The config of ${ref} has changed since these values were compared`,
      instead: ['observe', 'edit'],
    },
  ];
  for (const { is, ...rest } of obstacles) {
    const paths = rows.filter(is).map(({ path }) => path);
    if (paths.length > 0) return { ...rest, paths };
  }
  return undefined;
}

/** Returns whether a reference is at a value, in it, or around it. */
function touches(path: string, at: Reference['at']): boolean {
  const place = at.reduce<string>((whole, name) => pointer(whole, `${name}`), '');
  return place === path || place.startsWith(`${path}/`) || path.startsWith(`${place}/`);
}

/** Returns whether a value of the config is what was declared: without references, of which there is none here, and escapes. */
function isDeclaredValue(written: JsonValue | undefined, declared: JsonValue = null): boolean {
  return written !== undefined && canonicalJson(written) === canonicalJson(literal(declared));
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
