// Outputs with an old name: their schema says which output replaces them, and references to the old name are answered from that one. Pure.
import {
  atPointer,
  isJsonObject,
  type JsonObject,
  ownMember,
  pointer,
  pointerNames,
} from '../../lib/json.ts';
import { listIn } from '../../tenant-schema/keywords.ts';
import { subschemas } from '../../tenant-schema/structure.ts';
import { identityPointer } from '../objects/identity.ts';
import { possibleValues } from './possible-values.ts';

/** The keyword of a deprecated output: the JSON Pointer of the output that replaces it. */
export const fromKeyword = 'x-from';

/** A member of the outputs that another output replaces. */
interface ReplacedOutput {
  readonly name: string;
  /** JSON Pointer in the outputs. */
  readonly from: string;
}

const known = new WeakMap<JsonObject, readonly ReplacedOutput[]>();

/** @param schema of outputs; undefined when their type describes none */
function replacedOutputs(schema: JsonObject | undefined): readonly ReplacedOutput[] {
  if (schema === undefined) return [];
  const before = known.get(schema);
  if (before !== undefined) return before;
  const members = ownMember(schema, 'properties');
  const found = Object.entries(isJsonObject(members) ? members : {}).flatMap(([name, member]) => {
    const from = ownMember(member, fromKeyword);
    return typeof from === 'string' && isDeprecated(member) ? [{ name, from }] : [];
  });
  known.set(schema, found);
  return found;
}

function isDeprecated(schema: unknown): boolean {
  return ownMember(schema, 'deprecated') === true;
}

/** One for each stored object: a config may have thousands of references to it. */
const readable = new WeakMap<JsonObject, { schema: JsonObject; outputs: JsonObject }>();

/**
 * @param schema of the outputs of the type that is in force
 * @returns the outputs that references read: a deprecated one has the value of the output that replaces it. That one has the value of the
 * old one where an earlier version has stored nothing else, so that nobody has to wait to refer to it
 */
export function readableOutputs(outputs: JsonObject, schema: JsonObject | undefined): JsonObject {
  const replaced = replacedOutputs(schema);
  if (schema === undefined || replaced.length === 0) return outputs;
  const before = readable.get(outputs);
  if (before?.schema === schema) return before.outputs;
  const stored = { ...newNames(outputs, replaced), ...outputs };
  const answers = replaced.flatMap(({ name, from }) => {
    const value = atPointer(stored, from);
    return value === undefined ? [] : [[name, value] as const];
  });
  const all = { ...stored, ...Object.fromEntries(answers) };
  readable.set(outputs, { schema, outputs: all });
  return all;
}

/** A name within another output stands for nothing alone. */
function newNames(outputs: JsonObject, replaced: readonly ReplacedOutput[]): JsonObject {
  const found = replaced.flatMap(({ name, from }) => {
    const [target = '', ...deeper] = pointerNames(from);
    const value = deeper.length === 0 ? ownMember(outputs, name) : undefined;
    return value === undefined ? [] : [[target, value] as const];
  });
  return Object.fromEntries(found);
}

/** @returns the places of secrets in readable outputs. @param places those in the outputs themselves, as JSON Pointers */
export function readableSecrets(
  places: readonly string[],
  schema: JsonObject | undefined,
): readonly string[] {
  const replaced = replacedOutputs(schema);
  if (replaced.length === 0) return places;
  const { equal, below } = movesOf(replaced);
  const within = new Map<string, string[]>();
  for (const place of places) {
    for (const each of ancestors(place).filter((above) => equal.has(above))) {
      addTo(within, each, place.slice(each.length));
    }
  }
  const answered = [...within].flatMap(([source, secrets]) => {
    const named = secrets.length > maxNamed ? [''] : secrets;
    return (equal.get(source) ?? []).flatMap((to) => named.map((secret) => `${to}${secret}`));
  });
  return [
    ...new Set([...places, ...answered, ...places.flatMap((place) => below.get(place) ?? [])]),
  ];
}

/** An output with more secrets than these is one as a whole under its other name: hundreds of names may stand for one output. */
const maxNamed = 100;

interface Moves {
  /** By place: where else the same value is. */
  readonly equal: ReadonlyMap<string, readonly string[]>;
  /** By place: where values are that are somewhere below it. */
  readonly below: ReadonlyMap<string, readonly string[]>;
}

/** Maps, since both the secrets and the deprecated outputs may be hundreds. */
function movesOf(replaced: readonly ReplacedOutput[]): Moves {
  const equal = new Map<string, string[]>();
  const below = new Map<string, string[]>();
  for (const { name, from } of replaced) {
    const old = pointer('', name);
    for (const [place, to] of [
      [from, old],
      [old, from],
    ] as const) {
      addTo(equal, place, to);
      for (const above of ['', ...ancestors(place).slice(0, -1)]) addTo(below, above, to);
    }
  }
  return { equal, below };
}

function addTo(lists: Map<string, string[]>, place: string, to: string): void {
  const list = lists.get(place);
  if (list === undefined) lists.set(place, [to]);
  else list.push(to);
}

/** @returns the pointers to what contains a place, without the whole value, and the place itself at the end */
function ancestors(place: string): readonly string[] {
  return [...place.matchAll(/\/[^/]*/g)].map(({ index, 0: step }) =>
    place.slice(0, index + step.length),
  );
}

/** @returns the names that replace a deprecated output, from the root on; empty when nothing does, undefined for one that is not deprecated */
export function replacementOf(
  [name = '']: readonly string[],
  schema: JsonObject,
): readonly string[] | undefined {
  const member = ownMember(ownMember(schema, 'properties'), name);
  if (!isDeprecated(member)) return undefined;
  const { from = '' } = replacedOutputs(schema).find((each) => each.name === name) ?? {};
  return pointerNames(from);
}

interface FromProblem {
  /** The JSON Pointer of the keyword in the schema. */
  readonly at: string;
  /** A sentence for the author of the schema, without its full stop. */
  readonly problem: string;
}

/** @returns the first keyword `x-from` that cannot work, with what to do instead; undefined when all of them work */
export function fromProblem(schema: JsonObject, of: string): FromProblem | undefined {
  const waiting: { readonly part: JsonObject; readonly at: string }[] = [{ part: schema, at: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, at } = next;
    const problem = Object.hasOwn(part, fromKeyword)
      ? problemOfMark(schema, part, { at, of })
      : undefined;
    if (problem !== undefined) return { at: pointer(at, fromKeyword), problem };
    for (const { schema: below, step } of subschemas(part)) {
      if (!isJsonObject(below)) continue;
      waiting.push({ part: below, at: step.map(String).reduce(pointer, at) });
    }
  }
  return undefined;
}

function problemOfMark(
  root: JsonObject,
  part: JsonObject,
  { at, of }: { readonly at: string; readonly of: string },
): string | undefined {
  const [keyword, name, ...deeper] = pointerNames(at);
  if (of !== 'outputs') return 'Only an output can be answered from another one';
  if (keyword !== 'properties' || name === undefined || deeper.length > 0) {
    return 'Only a member of the outputs themselves can be answered from another output';
  }
  if (!isDeprecated(part))
    return 'An output that another one replaces is deprecated: add deprecated: true';
  if (listIn(ownMember(root, 'required')).includes(name)) {
    return `References to ${name} are answered from the other output: make it optional`;
  }
  return targetProblem(root, name, part[fromKeyword]);
}

function targetProblem(root: JsonObject, name: string, from: unknown): string | undefined {
  if (typeof from !== 'string' || !identityPointer.test(from)) {
    return 'Name the output that replaces it by its JSON Pointer, such as /bucketName';
  }
  const [first = '', ...rest] = pointerNames(from);
  const target = ownMember(ownMember(root, 'properties'), first);
  if (first === name || ownMember(target, fromKeyword) !== undefined) {
    return `${first} is replaced itself: name the output that replaces it`;
  }
  return 'missing' in possibleValues(root).at([first, ...rest])
    ? `The schema of the outputs has nothing at ${from}`
    : undefined;
}
