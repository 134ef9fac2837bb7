// Migrates stored values to the newest version of their type, step by step. Pure, as far as the steps are.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { migrationFailed } from '../../domain/event.ts';
import { asJson } from '../as-json.ts';
import type { AnyObject } from '../call.ts';
import { issueText, thrownText } from '../failure-text.ts';
import { TerminalFailure } from '../outcome.ts';
import type { ResourceType } from '../provider.ts';
import { declaredPart } from './declared.ts';
import type { Migration } from './from.ts';

export type VersionedType = Pick<
  ResourceType,
  'name' | 'config' | 'outputs' | 'version' | 'migrations'
>;

export interface Stored {
  /** Which schema of its version it has. */
  readonly side: 'config' | 'outputs';
  /** For errors, such as `previous config`. */
  readonly what: string;
  /** The version of the type that it has. */
  readonly version: number;
  readonly value: AnyObject;
}

export interface Migrated {
  /** As the last step returned it. */
  readonly value: AnyObject;
  /** The error when it does not fit the schema of the type. */
  readonly misfit: string;
}

/**
 * @returns the value as the newest schema takes it, not checked by that schema yet: of a config what people declared, and of outputs
 * what the schemas before made of them
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export function migrated(
  type: VersionedType,
  { side, what, version, value }: Stored,
  fits: typeof fitting = sideOf[side].fits,
): Migrated {
  const steps = stepsFrom(type, version);
  let misfit =
    steps.length === 0
      ? unmigratedText(type, { what, version })
      : `The ${what} of version ${version} does not fit the schema of its migration`;
  let current = value;
  for (const step of steps) {
    const given = fits(step[side], { value: current, misfit });
    const lacks = side === 'config' && leavesDefaults(step.config, given);
    const name = `The migration of the ${what} from version ${step.from} to ${step.from + 1}${lacks ? ', which receives no defaults,' : ''}`;
    current = stepped(step[sideOf[side].member], { given, side, name });
    misfit = `${name} returned a value that does not fit`;
  }
  return { value: current, misfit };
}

/** @throws TerminalFailure `migration_failed` */
export function fitting(schema: z.ZodType, { value, misfit }: Migrated): AnyObject {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as AnyObject;
  throw new TerminalFailure(migrationFailed, `${misfit}: ${issueText(parsed.error)}`);
}

/** A config stays as it was declared: a default that is filled in could be passed on. */
function fittingDeclared(schema: z.ZodType, migrated: Migrated): AnyObject {
  fitting(schema, migrated);
  return declaredPart(schema, migrated.value) as AnyObject;
}

/** As people write it, a reference stands where a value will be, and is not judged: only Fairlead resolves it. */
function fittingUnresolved(schema: z.ZodType, { value, misfit }: Migrated): AnyObject {
  const { success, error } = schema.safeParse(value);
  const isOpen = ({ code, path }: z.core.$ZodIssue) =>
    code !== 'unrecognized_keys' && hasReference(path.reduce(memberAt, value));
  if (!success && !error.issues.every(isOpen)) fitting(schema, { value, misfit });
  return declaredPart(schema, value) as AnyObject;
}

/** Returns whether the schema fills in what the config leaves out: a step that needs it says what it is. */
function leavesDefaults(schema: z.ZodType, declared: AnyObject): boolean {
  const { success, data } = schema.safeParse(declared);
  return success && !isDeepStrictEqual(data, declared);
}

function hasReference(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).includes('$' + '{');
}

function memberAt(value: unknown, step: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? value[step as never] : undefined;
}

/**
 * @param stored a config of an earlier version, or of the newest one
 * @returns the config of the newest version as people write it
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export function migratedConfig(
  type: VersionedType,
  { version, config }: { readonly version: number; readonly config: AnyObject },
): AnyObject {
  const stored = { side: 'config', what: 'config', version, value: config } as const;
  const result = migrated(type, stored, fittingUnresolved);
  fittingUnresolved(type.config, result);
  return result.value;
}

const sideOf = {
  config: { member: 'migrateConfig', fits: fittingDeclared },
  outputs: { member: 'migrateOutputs', fits: fitting },
} as const;

/** Returns whether migrations lead from a version to the newest one. */
export function leadsFrom(type: VersionedType, version: number): boolean {
  return stepsFrom(type, version).length > 0;
}

/** None when the migrations do not begin at the version: a step takes only values of its own. */
function stepsFrom({ migrations = [] }: VersionedType, version: number): readonly Migration[] {
  const at = migrations.findIndex(({ from }) => from === version);
  return at < 0 ? [] : migrations.slice(at);
}

function unmigratedText(
  type: VersionedType,
  { what, version }: Pick<Stored, 'what' | 'version'>,
): string {
  const { version: newest } = type;
  if (version === newest) return `The ${what} does not fit`;
  const misfit = `The ${what} of version ${version} does not fit version ${newest} of type ${type.name}`;
  return version > newest
    ? `${misfit}, which serves now`
    : `${misfit}, and no migration leads there`;
}

interface StepInput {
  readonly given: AnyObject;
  readonly side: Stored['side'];
  readonly name: string;
}

function stepped(step: (value: never) => unknown, { given, side, name }: StepInput): AnyObject {
  try {
    const made = step(given as never) as AnyObject;
    // A member that is undefined was not declared.
    return side === 'config' && isObject(made) ? asJson(made) : made;
  } catch (thrown) {
    throw new TerminalFailure(migrationFailed, `${name} failed: ${thrownText(thrown, 'It')}`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
