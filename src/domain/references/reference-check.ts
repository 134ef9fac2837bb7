// Compares a reference with the schema of the outputs that it reads and with that of the field that takes it. Refuses only what
// can never work: an output that there cannot be, and a value that the field cannot take. Pure.
import type { Budget } from '../../lib/budget.ts';
import type { JsonValue } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import {
  type JsonTypes,
  type PossibleValues,
  typesOfValue,
  type Undescribed,
} from '../schemas/possible-values.ts';
import { outputName, quotedName } from './grammar.ts';
import type { Reference } from './references.ts';

interface ComparedTypes {
  /** By the schema of the type that the reference names. */
  readonly outputs: PossibleValues;
  /** The value that the reference reads now: outputs of an earlier version stay as they are until the next success. */
  readonly stored: JsonValue | undefined;
  /** By the schema of the type of the config. */
  readonly config: PossibleValues;
}

export type ReferenceProblem =
  /** The index in the path of the missing name, and the names that are possible in its place. */
  | ({ readonly why: 'noOutput' } & Undescribed)
  | { readonly why: 'notText'; readonly output: string }
  | { readonly why: 'misfit'; readonly output: string; readonly field: string }
  | { readonly why: 'textMisfit'; readonly field: string };

/** @returns undefined for a reference that may work */
export function referenceProblem(
  reference: Reference,
  { outputs, stored, config }: ComparedTypes,
): ReferenceProblem | undefined {
  const found = outputs.at(reference.path);
  const now: JsonTypes = new Set(stored === undefined ? [] : typesOfValue(stored));
  if ('missing' in found && stored === undefined) return { why: 'noOutput', ...found };
  const promised = 'missing' in found ? now : outputs.typesOf(found.alternatives);
  const place = config.at(reference.at.map(String));
  // A field that does not exist is a violation of the config.
  if ('missing' in place) return undefined;
  const field = config.typesOf(place.alternatives);
  // A field that no value fits is a mistake of a schema.
  if (promised.size === 0 || field.size === 0) return undefined;
  return typeProblem(reference, { promised, now, field });
}

interface ReferenceTypes {
  /** By the schema of the outputs. */
  readonly promised: JsonTypes;
  /** The types of the present output; empty when there is none. */
  readonly now: JsonTypes;
  readonly field: JsonTypes;
}

function typeProblem(
  { isWhole }: Reference,
  { promised, now, field }: ReferenceTypes,
): ReferenceProblem | undefined {
  const output = typeNames(promised);
  const fits = (wanted: JsonTypes) => overlap(promised, wanted) || overlap(now, wanted);
  if (isWhole) return fits(field) ? undefined : { why: 'misfit', output, field: typeNames(field) };
  if (!fits(partsOfText)) return { why: 'notText', output };
  return field.has('string') ? undefined : { why: 'textMisfit', field: typeNames(field) };
}

/** @returns the name that a schema does not describe although it permits it: most likely a mistake, and it cannot be refused */
export function undescribedOutput(
  { path }: Pick<Reference, 'path'>,
  { outputs, stored }: Pick<ComparedTypes, 'outputs' | 'stored'>,
): Undescribed | undefined {
  return stored === undefined ? outputs.undescribed(path) : undefined;
}

/** @example undescribedSentence('net/network', ['idd'], undescribed) // 'net/network describes no output "idd"; did you mean id?' */
export function undescribedSentence(
  type: string,
  path: readonly string[],
  undescribed: Undescribed,
  budget?: Budget,
): string {
  const output = quotedName(outputName(path));
  return `${type} describes no output ${output}${meantName(path, undescribed, budget)}`;
}

/**
 * @param instead the path of the output that replaces it; empty when none does
 * @example deprecatedSentence('net/network', ['id'], ['networkId']) // 'The output "id" of net/network is deprecated; refer to networkId'
 */
export function deprecatedSentence(
  type: string,
  path: readonly string[],
  instead: readonly string[] = [],
): string {
  const output = quotedName(outputName(path));
  const [, ...deeper] = path;
  const way = instead.length === 0 ? '' : `; refer to ${outputName([...instead, ...deeper])}`;
  return `The output ${output} of ${type} is deprecated${way}`;
}

/** @returns what is missed when references to unknown outputs of a type cannot be refused; undefined when they are */
export function openOutputsSentence(type: string, outputs: PossibleValues): string | undefined {
  const unlikely = ['\u0000'];
  const isOpen = !('missing' in outputs.at(unlikely)) && outputs.undescribed(unlikely);
  if (!isOpen) return undefined;
  return `The outputs_schema of ${type} permits members that it does not describe, so that a reference to a misspelled output is not refused; set additionalProperties to false`;
}

/** The types that can be a part of a longer string. */
const partsOfText: JsonTypes = new Set(['string', 'number', 'integer', 'boolean'] as const);

function overlap(one: JsonTypes, other: JsonTypes): boolean {
  return [...one].some((type) => other.has(type));
}

function typeNames(types: JsonTypes): string {
  const shown = [...types].filter((type) => type !== 'integer' || !types.has('number'));
  return shown.join(' or ');
}

/**
 * @param type the name of the type that the reference names
 * @param budget of the comparisons with names that may be meant
 * @example problemSentence('net/network', ['idd'], problem) // 'net/network has no output "idd"; did you mean id?'
 */
export function problemSentence(
  type: string,
  path: readonly string[],
  problem: ReferenceProblem,
  budget?: Budget,
): string {
  const output = quotedName(outputName(path));
  switch (problem.why) {
    case 'noOutput':
      return `${type} has no output ${output}${meantName(path, problem, budget)}`;
    case 'notText':
      return `The output ${output} of ${type} is ${problem.output} and cannot be inserted into a string; make the reference the whole value, or refer to a part of it`;
    case 'misfit':
      return `The output ${output} of ${type} is ${problem.output}, and this field takes ${problem.field}; refer to an output of that type`;
    case 'textMisfit':
      return `A reference within a longer string makes a string, and this field takes ${problem.field}; make the reference the whole value`;
  }
}

const maxNamed = 20;

function meantName(
  path: readonly string[],
  { missing, names }: Undescribed,
  budget: Budget | undefined,
): string {
  const shown = (name: string) => outputName([...path.slice(0, missing), name]);
  const [given = '', ...deeper] = path.slice(missing);
  const dotted = [given, ...deeper].join('.');
  // A name with dots may have been written without brackets.
  const name = names.has(dotted) ? dotted : nearest(given, names, budget);
  if (name !== undefined) return `; did you mean ${shown(name)}?`;
  if (names.size === 0) return '';
  const more = names.size > maxNamed ? ', …' : '';
  return `; it has ${[...names].slice(0, maxNamed).map(shown).join(', ')}${more}`;
}
