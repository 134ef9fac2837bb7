// Reads the settings of a provider. An error names settings and rules, never a value: it ends up in logs and conditions.
import type { z } from 'zod';
import {
  type Setting,
  settingsIn,
  settingsProblems,
  settingValue,
} from '../domain/schemas/setting-schema.ts';
import type { JsonObject } from '../lib/json.ts';
import { percentDecoded } from '../lib/text.ts';
import type { AnyObject } from './call.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { Provider } from './provider.ts';

export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings';
}

/** @returns the JSON Schema of the settings, in the form that people give; undefined when the provider declares none */
export function settingsSchemaOf({ settings }: Pick<Provider, 'settings'>): JsonObject | undefined {
  if (settings === undefined) return undefined;
  return jsonSchemaOf(settings, { io: 'input', what: 'their schema' });
}

/** @returns the settings of a provider with what is needed to read them */
export function declaredSettings(provider: Pick<Provider, 'settings'>): readonly Setting[] {
  return settingsIn(settingsSchemaOf(provider));
}

/** @param texts the stored forms by name; others than declared ones are ignored */
export function settingValues(
  declared: readonly Setting[],
  texts: ReadonlyMap<string, string>,
): AnyObject {
  const found = declared.flatMap((setting) => {
    const text = texts.get(setting.name);
    return text === undefined ? [] : [[setting.name, settingValue(setting, text)] as const];
  });
  return Object.fromEntries(found);
}

/**
 * @param values as people give them; defaults are filled in
 * @returns the settings for handlers; an empty object when the provider declares none
 * @throws InvalidSettings
 */
export async function parseSettings(
  { settings }: Pick<Provider, 'settings'>,
  values: AnyObject,
): Promise<AnyObject> {
  if (settings === undefined) return {};
  const result = await safelyParsed(settings, values);
  if (result.success) return result.data as AnyObject;
  const problems = new Map(
    result.error.issues.map((issue) => [
      `${String(issue.path[0] ?? 'settings')}`,
      issueProblem(issue, values),
    ]),
  );
  const list = [...problems].map(([name, problem]) => `${name} ${problem}`).join('; ');
  throw new InvalidSettings(`${settingsProblems.invalid}: ${list}`);
}

async function safelyParsed(settings: z.ZodType, values: AnyObject) {
  try {
    return await settings.safeParseAsync(values);
  } catch {
    // Not what was thrown: errors of transformations quote their input.
    const why = 'a transformation of their schema failed';
    throw new InvalidSettings(`${settingsProblems.invalid}: ${why}`);
  }
}

/** Messages of the schema's author may quote the value. */
function issueProblem(issue: z.core.$ZodIssue, values: AnyObject): string {
  const [name] = issue.path;
  if (typeof name === 'string' && !Object.hasOwn(values, name)) return 'is not set';
  if (issue.path.length === 1 && issue.code === 'invalid_type')
    return `must be a ${issue.expected}`;
  return `does not fit its schema (${issue.code})`;
}

/**
 * @param values as people give them
 * @returns a text of the author's code in which the names of settings stand for what is secret in them: sensitive values, and
 * passwords in addresses. Others are ordinary words, which many sentences have.
 */
export function withoutSettings(
  provider: Pick<Provider, 'settings'>,
  values: AnyObject,
  text: string,
): string {
  return namedSecrets(provider, values)
    .sort(([, left], [, right]) => right.length - left.length)
    .reduce((shown, [name, each]) => shown.replaceAll(each, `(${name})`), text);
}

/** @returns the texts that `withoutSettings` replaces */
export function settingSecrets(
  provider: Pick<Provider, 'settings'>,
  values: AnyObject,
): readonly string[] {
  return namedSecrets(provider, values).map(([, text]) => text);
}

function namedSecrets(
  provider: Pick<Provider, 'settings'>,
  values: AnyObject,
): (readonly [name: string, text: string])[] {
  const isSecret = secretNames(provider);
  return Object.entries(values).flatMap(([name, value]) =>
    (isSecret(name) ? secretParts(value) : innerTexts(value).flatMap(passwordsOf)).map(
      (each) => [name, each] as const,
    ),
  );
}

function secretNames(provider: Pick<Provider, 'settings'>): (name: string) => boolean {
  try {
    const secrets = declaredSettings(provider).filter(({ isSensitive }) => isSensitive);
    const names = new Set(secrets.map(({ name }) => name));
    return (name) => names.has(name);
  } catch {
    // Without a JSON Schema, nobody says which are.
    return () => true;
  }
}

/** @returns the texts and numbers of a value, and the passwords of addresses among them: libraries quote these alone */
function secretParts(value: unknown): readonly string[] {
  return innerTexts(value).flatMap((text) => [text, ...passwordsOf(text)]);
}

function innerTexts(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(innerTexts);
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'string' && value !== '' ? [value] : [];
}

/** @returns the password in an address, as it is written and as it is meant */
export function passwordsOf(text: string): readonly string[] {
  const password = URL.parse(text)?.password ?? '';
  return [password, percentDecoded(password)].filter((each) => each !== '');
}
