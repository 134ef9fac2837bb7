// The values that a handler receives from an event: of the newest version of its type, whatever was stored.
import type { z } from 'zod';
import type { EventBody } from '../../domain/event.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import type { AnyObject } from '../call.ts';
import { issueText } from '../failure-text.ts';
import { TerminalFailure } from '../outcome.ts';
import { fitting, leadsFrom, migrated, type Stored, type VersionedType } from './migrate.ts';

export interface EventValues {
  readonly config: AnyObject;
  /** null when there was no success before. */
  readonly previousConfig: AnyObject | null;
  readonly outputs: AnyObject;
}

/**
 * A type in its first version gets values of a deletion, and those of the last success, unparsed when they do not fit; any other type
 * only values that fit. An observation gets what there is.
 * @throws TerminalFailure `invalid_config` for a config of the present version, otherwise `migration_failed`
 */
export function eventValues(type: VersionedType, event: EventBody): EventValues {
  if (event.event_type === 'OBSERVE') return observedValues(type, event);
  return {
    config: configOf(type, event),
    previousConfig: previousConfigOf(type, event),
    outputs: eventOutputs(type, event),
  };
}

/** The members of an event that values of an earlier success come from. */
type PriorMembers = Pick<
  EventBody,
  | 'schema_version'
  | 'previous_config'
  | 'previous_schema_version'
  | 'outputs'
  | 'outputs_schema_version'
>;

/**
 * @returns the values of the last success for rules about the next config: outputs may lack what does not fit
 * @throws TerminalFailure `migration_failed`
 */
export function priorValues(
  type: VersionedType,
  prior: PriorMembers,
): Pick<EventValues, 'previousConfig' | 'outputs'> {
  return {
    previousConfig: previousConfigOf(type, prior),
    outputs: eventOutputs(type, { ...prior, event_type: 'DELETE' }),
  };
}

/**
 * @param version an earlier one
 * @returns a config in the newest version, parsed
 * @throws TerminalFailure `migration_failed`
 */
export function newestConfig(type: VersionedType, version: number, value: AnyObject): AnyObject {
  return newestValue(type, { side: 'config', what: 'config', version, value });
}

/** A deletion, and what precedes it. */
export function isRemoval({ event_type }: Pick<EventBody, 'event_type'>): boolean {
  return event_type === 'DELETE' || event_type === 'CANCEL';
}

/** @returns what people declared of the config of an OBSERVE, in the newest version; undefined when it has no earlier one */
export function declaredConfig(type: VersionedType, event: EventBody): AnyObject | undefined {
  const stored = earlierConfig(type, event);
  return stored && (isEmpty(stored.value) ? stored.value : migrated(type, stored).value);
}

/** @returns the config of an event that migrations lead from */
function earlierConfig(
  type: VersionedType,
  { config: value, schema_version: version }: EventBody,
): Stored | undefined {
  if (version >= type.version || !leadsFrom(type, version)) return undefined;
  return { side: 'config', what: 'config', version, value };
}

/** Nothing is recorded yet about an object that is about to be imported. */
function observedValues(type: VersionedType, event: EventBody): EventValues {
  const { outputs, outputs_schema_version: version } = event;
  const stored = { side: 'outputs', what: 'outputs', version, value: outputs } as const;
  const isKept = isEmpty(outputs) || !leadsFrom(type, version);
  const earlier = earlierConfig(type, event);
  const isMigrated = earlier !== undefined && !isEmpty(earlier.value);
  return {
    config: lenient(type.config, isMigrated ? migrated(type, earlier).value : event.config),
    previousConfig: null,
    outputs: lenient(type.outputs, isKept ? outputs : migrated(type, stored).value),
  };
}

function isEmpty(value: AnyObject): boolean {
  return Object.keys(value).length === 0;
}

function configOf(type: VersionedType, event: EventBody): AnyObject {
  const { config: value, schema_version: version } = event;
  const stored: Stored = { side: 'config', what: 'config', version, value };
  // A resource must be deletable although its stored values no longer fit the schema.
  if (isRemoval(event)) {
    return isVersioned(type, version) ? newestValue(type, stored) : lenient(type.config, value);
  }
  if (version !== type.version) return newestValue(type, stored);
  const parsed = type.config.safeParse(value);
  if (parsed.success) return parsed.data as AnyObject;
  throw new TerminalFailure('invalid_config', issueText(parsed.error));
}

function previousConfigOf(type: VersionedType, event: PriorMembers): AnyObject | null {
  const { previous_config: value, previous_schema_version, schema_version } = event;
  if (value === null) return null;
  const version = previous_schema_version ?? schema_version;
  return knowsEarlier(type) && isVersioned(type, version)
    ? newestValue(type, { side: 'config', what: 'previous config', version, value })
    : lenient(type.config, value);
}

function eventOutputs(
  type: VersionedType,
  event: Pick<PriorMembers, 'outputs' | 'outputs_schema_version'> & Pick<EventBody, 'event_type'>,
): AnyObject {
  const { outputs: value, outputs_schema_version: version, event_type } = event;
  if (event_type === 'CREATE') return {};
  if (!knowsEarlier(type) || !isVersioned(type, version)) return lenient(type.outputs, value);
  const stored: Stored = { side: 'outputs', what: 'outputs', version, value };
  // An import records what was observed, which may lack what cannot be read.
  const mayLack = isRemoval(event) || version === type.version;
  return mayLack ? partial(type, stored) : newestValue(type, stored);
}

/** Only such values are stored with a version that means something, and are migrated. */
function isVersioned(type: VersionedType, version: number): boolean {
  return type.version > firstTypeVersion || version !== type.version;
}

/** Without migrations, what an earlier version left has the type `unknown`. */
function knowsEarlier(type: VersionedType): boolean {
  return type.version === firstTypeVersion || (type.migrations ?? []).length > 0;
}

function newestValue(type: VersionedType, stored: Stored): AnyObject {
  return fitting(type[stored.side], migrated(type, stored));
}

/** Values of an older version of the provider may not fit the current schema; they are passed unparsed. */
function lenient(schema: z.ZodType, value: AnyObject): AnyObject {
  const parsed = schema.safeParse(value);
  return parsed.success ? (parsed.data as AnyObject) : value;
}

/** Outputs for a deletion, which must be possible with those that are left. */
function partial(type: VersionedType, stored: Stored): AnyObject {
  // There was no success.
  if (isEmpty(stored.value)) return {};
  const { value } = migrated(type, stored);
  const parsed = type.outputs.safeParse(value);
  return parsed.success ? (parsed.data as AnyObject) : fittingFields(type.outputs, value);
}

/** @returns the fields that fit their own schemas; none for a schema that is no object with fields */
function fittingFields(schema: z.ZodType, value: AnyObject): AnyObject {
  const { shape = {} } = schema as { readonly shape?: Readonly<Record<string, z.ZodType>> };
  const given = Object(value) as AnyObject;
  const found = Object.entries(shape).flatMap(([name, field]) => {
    if (!Object.hasOwn(given, name)) return [];
    const parsed = field.safeParse(given[name]);
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return Object.fromEntries(found);
}
