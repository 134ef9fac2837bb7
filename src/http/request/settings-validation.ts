// Decides on a change of settings: which values are set and removed. A violation never contains a value that is sensitive.
import type { Actor } from '../../domain/actor.ts';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import { partialSettings, type Setting, settingText } from '../../domain/schemas/setting-schema.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import type { SettingsChange, SettingsRecord } from '../../store/providers/settings.ts';
import { unknownName } from './known-names.ts';

const maxValueBytes = 65_536;
const where = ['body', 'values'];

export interface DeclaredSettings {
  /** Undefined when the version declares no settings. */
  readonly schema: JsonObject | undefined;
  readonly settings: readonly Setting[];
}

interface WantedSettings {
  readonly values: JsonObject;
  /** Removes every other value. */
  readonly isWhole: boolean;
  /** The caller. */
  readonly by: Actor;
  readonly tenant: string;
}

/** @throws InvalidRequest */
export async function planSettings(
  schemas: Pick<SchemaSandbox, 'validate'>,
  { schema, settings }: DeclaredSettings,
  { record, wanted }: { record: SettingsRecord; wanted: WantedSettings },
): Promise<SettingsChange> {
  const { values, isWhole, by, tenant } = wanted;
  const declared = new Map(settings.map((each) => [each.name, each]));
  const unknown = Object.keys(values).filter((name) => !declared.has(name));
  const known = Object.entries(values).filter(([name]) => declared.has(name));
  const violations = [
    ...unknown.map((name) => withoutInput(unknownName([...where, name], [...declared.keys()], ''))),
    ...known.flatMap(([name, value]) => tooLongSetting(declared.get(name), value)),
    ...(isWhole ? missingIn(settings, values) : []),
  ];
  if (schema !== undefined && violations.length === 0) {
    const found = await schemas.validate(partialSettings(schema), values, tenant);
    violations.push(...found.map((each) => placedViolation(each, declared)));
  }
  if (violations.length > 0) throw new InvalidRequest(violations);
  return {
    set: known.flatMap(([name, value]) => {
      const setting = declared.get(name);
      if (setting === undefined) return [];
      return [{ name, value, sensitive: setting.isSensitive, text: settingText(setting, value) }];
    }),
    remove: isWhole ? others(settings, record, values) : [],
    hide: hiddenSince(settings, record),
    by,
  };
}

/** @returns recorded values that the version declares as sensitive, and an earlier one did not */
export function hiddenSince(settings: readonly Setting[], { values }: SettingsRecord): string[] {
  const sensitive = settings.filter(({ isSensitive }) => isSensitive);
  return sensitive.map(({ name }) => name).filter((name) => Object.hasOwn(values, name));
}

function missingIn(settings: readonly Setting[], values: JsonObject): readonly Violation[] {
  return settings
    .filter(({ name, isRequired }) => isRequired && !Object.hasOwn(values, name))
    .map(({ name }) => ({ loc: [...where, name], msg: 'Field required', type: 'missing' }));
}

/** Also names without a recorded value: a write that ended between Secret and record may have left one. */
function others(
  settings: readonly Setting[],
  { entries }: SettingsRecord,
  values: JsonObject,
): readonly string[] {
  const all = new Set([...settings, ...entries].map(({ name }) => name));
  return [...all].filter((name) => !Object.hasOwn(values, name));
}

function tooLongSetting(setting: Setting | undefined, value: JsonValue): readonly Violation[] {
  if (setting === undefined) return [];
  if (Buffer.byteLength(settingText(setting, value)) <= maxValueBytes) return [];
  const msg = `Value error, the value of a setting should have at most ${maxValueBytes} bytes`;
  return [{ loc: [...where, setting.name], msg, type: 'value_error' }];
}

/** Neither the input nor the names inside a sensitive value are repeated. */
function placedViolation(violation: Violation, declared: ReadonlyMap<string, Setting>): Violation {
  const [name = ''] = violation.loc;
  const setting = declared.get(`${name}`);
  if (setting?.isSensitive !== false) {
    const { msg, type } = violation;
    return { loc: [...where, name], msg, type };
  }
  return { ...violation, loc: [...where, ...violation.loc] };
}

function withoutInput({ loc, msg, type }: Violation): Violation {
  return { loc, msg, type };
}
