// Finds and resolves references in a config: `${provider/resource/name.outputs.path}` stands for an output of another
// resource of the same project. Pure, iterative and linear; text that only looks like a reference stays text, and an
// inserted value is never scanned for references again.

import {
  canonicalJson,
  isJsonArray,
  type JsonObject,
  type JsonValue,
  stepPath,
  type ValueStep,
} from '../../lib/json.ts';
import type { Violation } from '../errors.ts';
import { sha256Hex, slashed } from '../identity.ts';
import type { Dependency } from '../lifecycle.ts';
import { storedBytes } from '../stored-size.ts';
import {
  beginsLikeReference,
  candidate,
  outputName,
  type ReferenceTarget,
  referenceTarget,
} from './grammar.ts';
import { editing, memberOf } from './steps.ts';

/** Maximum bytes in etcd of all values inserted into one config: a few references could otherwise grow it without bound. */
export const maxReferencedBytes = 1_048_576;

export interface Reference extends ReferenceTarget {
  /** Path in the config. */
  readonly at: readonly (string | number)[];
  readonly text: string;
  /** Whether it is a whole string of the config, and not a part of a longer one. */
  readonly isWhole: boolean;
}

export interface Resolution {
  readonly config: JsonObject;
  /** 32 hex digits over the inserted values; undefined when there are none. */
  readonly hash: string | undefined;
  /** References whose output is missing or cannot be inserted; their strings stay unchanged. */
  readonly unresolved: readonly Unresolved[];
}

export interface Unresolved extends Omit<Reference, 'isWhole'> {
  /** `notText`: an object, a list or null cannot be part of a string. `tooLarge`: all values together exceed the limit. */
  readonly why: 'missing' | 'notText' | 'tooLarge';
  /** Existing outputs beside the first missing name of the path, as `outputName` writes them. */
  readonly offered: readonly string[];
}

interface ReferenceInStep extends Omit<Reference, 'at'> {
  readonly step: ValueStep | undefined;
}

/** The path is built only on demand: a config may have thousands of references, each as deep as it is. */
class FoundReference implements Reference, ReferenceInStep {
  readonly to: Dependency;
  readonly path: readonly string[];
  readonly text: string;
  readonly isWhole: boolean;
  readonly step: ValueStep | undefined;

  constructor({ to, path, text, isWhole, step }: ReferenceInStep) {
    this.to = to;
    this.path = path;
    this.text = text;
    this.isWhole = isWhole;
    this.step = step;
  }

  get at(): Reference['at'] {
    return stepPath(this.step);
  }
}

class UnresolvedReference extends FoundReference implements Unresolved {
  readonly why: Unresolved['why'];
  readonly offered: readonly string[];

  constructor(found: ReferenceInStep, why: Unresolved['why'], offered: readonly string[]) {
    super(found);
    this.why = why;
    this.offered = offered;
  }
}

/** A config string with references or escapes, split at them. */
interface TextOfStep {
  readonly step: ValueStep;
  readonly parts: readonly (string | FoundReference)[];
}

/** @returns every reference in a config, in text order */
export function referencesIn(config: JsonObject): readonly Reference[] {
  const found: Reference[] = [];
  for (const { parts } of placesIn(config)) {
    for (const part of parts) if (typeof part !== 'string') found.push(part);
  }
  return found;
}

export interface NearReference extends Omit<Reference, keyof ReferenceTarget> {
  /** The text between `${` and `}`. */
  readonly body: string;
}

/** @returns what begins like a reference and is text, in text order */
export function nearReferencesIn(config: JsonObject): readonly NearReference[] {
  return [...textSteps(config)].flatMap(({ text, step }) =>
    [...text.matchAll(candidate)]
      .filter(([whole, body = '']) => !whole.startsWith('$$') && beginsLikeReference(body))
      .filter(([, body = '']) => referenceTarget(body) === undefined)
      .map(([whole, body = '']) => ({
        ...{ text: whole, body, isWhole: whole === text, at: stepPath(step) },
      })),
  );
}

/** @returns the dependencies of a resource, declared or by reference, each once */
export function dependenciesOf({
  dependencies = [],
  config,
}: {
  readonly dependencies?: readonly Dependency[] | undefined;
  readonly config: JsonObject;
}): readonly Dependency[] {
  const all = [...dependencies, ...referencesIn(config).map(({ to }) => to)];
  return [...new Map(all.map((each) => [slashed(each), each])).values()];
}

/**
 * Replaces references with outputs: with the value itself where a string is exactly one reference, with its text inside
 * longer strings. `$${…}` becomes the text `${…}`.
 */
export function resolveReferences(
  config: JsonObject,
  outputsOf: (dependency: Dependency) => JsonObject | undefined,
): Resolution {
  const values = new Map<string, JsonValue>();
  const sizes = new Map<string, number>();
  const unresolved: Unresolved[] = [];
  const edit = editing(config);
  const offeredAt = offering();
  let bytesLeft = maxReferencedBytes;
  const valueFor = (reference: FoundReference, whole: boolean): JsonValue | undefined => {
    const { text, to, path } = reference;
    const fail = (why: Unresolved['why'], offered: readonly string[] = []) => {
      unresolved.push(new UnresolvedReference(reference, why, offered));
      return undefined;
    };
    if (bytesLeft < 0) return fail('tooLarge');
    const outputs = outputsOf(to);
    const value = values.get(text) ?? outputAt(outputs, path);
    if (value === undefined) return fail('missing', offeredAt(outputs, path));
    if (!(whole || isScalar(value))) return fail('notText');
    const bytes = sizes.get(text) ?? storedBytes(value);
    sizes.set(text, bytes);
    bytesLeft -= bytes;
    if (bytesLeft < 0) return fail('tooLarge');
    values.set(text, value);
    return value;
  };
  for (const { step, parts } of placesIn(config)) {
    const whole = parts.length === 1;
    const read = parts.map((part) => (isReference(part) ? valueFor(part, whole) : part));
    const [first] = read;
    if (read.includes(undefined) || first === undefined) continue;
    edit.set(step, whole ? first : read.map(String).join(''));
  }
  return { config: edit.result(), hash: valuesHash(values), unresolved };
}

/** Violations of a whole value, such as matching none of several forms, which may depend on a reference inside. */
const wholeValue = 'value_error';

/** @returns the violations (`loc` relative to the config) except those that resolving a reference may fix */
export function withoutReferenced(
  violations: readonly Violation[],
  config: JsonObject,
): readonly Violation[] {
  const known = new Map<JsonValue, boolean>();
  /** Remembers what it has looked at: one violation may be within another. */
  function holdsReference(value: JsonValue): boolean {
    if (typeof value === 'string') return referenceParts(value, undefined).some(isReference);
    if (typeof value !== 'object' || value === null) return false;
    const found = known.get(value) ?? Object.values(value).some(holdsReference);
    known.set(value, found);
    return found;
  }

  return violations.filter(({ loc, type }) => {
    let value: JsonValue | undefined = config;
    for (const key of loc) {
      if (typeof value !== 'object') break;
      value = memberOf(value, `${key}`);
    }
    const mayHold = typeof value === 'string' || (type === wholeValue && value !== undefined);
    return !(mayHold && holdsReference(value as JsonValue));
  });
}

function isReference(part: string | FoundReference): part is FoundReference {
  return typeof part !== 'string';
}

function isScalar(value: JsonValue): boolean {
  return value !== null && typeof value !== 'object';
}

interface ReferenceNode {
  readonly value: JsonValue;
  readonly step: ValueStep | undefined;
}

function* placesIn(whole: JsonValue): Generator<TextOfStep> {
  for (const { text, step } of textSteps(whole)) {
    const parts = referenceParts(text, step);
    if (parts.length > 1 || parts[0] !== text) yield { step, parts };
  }
}

/** Yields the texts that may have a reference. A config has few of them, and may have thousands of other values. */
function* textSteps(
  whole: JsonValue,
): Generator<{ readonly text: string; readonly step: ValueStep }> {
  const left: ReferenceNode[] = [{ value: whole, step: undefined }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, step } = next;
    if (typeof value === 'string' && step !== undefined) yield { text: value, step };
    else for (const member of nodesBelow(next).reverse()) left.push(member);
  }
}

function nodesBelow({ value, step }: ReferenceNode): ReferenceNode[] {
  if (value === null || typeof value !== 'object') return [];
  const members: Iterable<[string | number, JsonValue]> = isJsonArray(value)
    ? value.entries()
    : Object.entries(value);
  const nodes: ReferenceNode[] = [];
  for (const [key, member] of members) {
    const isText = typeof member === 'string';
    if (isText ? member.includes('${') : typeof member === 'object') {
      nodes.push({ value: member, step: { parent: step, key } });
    }
  }
  return nodes;
}

/** @returns the text split at its references, without its escapes; the text alone when it has neither */
function referenceParts(
  text: string,
  step: ValueStep | undefined,
): readonly (string | FoundReference)[] {
  if (!text.includes('${')) return [text];
  const parts: (string | FoundReference)[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(candidate)) {
    const [whole, body = ''] = match;
    const read = whole.startsWith('$$') ? escapedText(whole, body) : referenceTarget(body);
    if (read === undefined) continue;
    literal += text.slice(end, match.index);
    end = match.index + whole.length;
    if (typeof read === 'string') {
      literal += read;
      continue;
    }
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push(new FoundReference({ ...read, text: whole, isWhole: whole === text, step }));
  }
  literal += text.slice(end);
  if (literal !== '') parts.push(literal);
  return parts;
}

function escapedText(whole: string, body: string): string | undefined {
  return beginsLikeReference(body) ? whole.slice(1) : undefined;
}

function outputAt(outputs: JsonObject | undefined, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = outputs;
  for (const key of path) {
    if (value === undefined) return undefined;
    value = memberOf(value, key);
  }
  return value;
}

/** @returns what finds the paths beside the first one that does not exist; made once for each object, for any number of paths */
function offering() {
  const known = new Map<JsonValue, readonly string[]>();
  return (outputs: JsonObject | undefined, path: readonly string[]): readonly string[] => {
    let value: JsonValue = outputs ?? {};
    const way: string[] = [];
    for (const key of path) {
      const member = memberOf(value, key);
      if (member === undefined) break;
      value = member;
      way.push(key);
    }
    if (value === null || typeof value !== 'object') return [];
    const offered = known.get(value) ?? Object.keys(value).map((key) => outputName([...way, key]));
    known.set(value, offered);
    return offered;
  };
}

function valuesHash(values: ReadonlyMap<string, JsonValue>): string | undefined {
  if (values.size === 0) return undefined;
  const used = [...values].sort(([left], [right]) => (left < right ? -1 : 1));
  return sha256Hex(canonicalJson(used)).slice(0, 32);
}
