// Reads the flags that identify an existing object, and writes what identifies one.
import { isJsonArray, isJsonObject, type JsonObject, jsonIn } from '../../../lib/json.ts';
import { usageError } from '../../terminal/errors/cli-error.ts';
import type { Flags } from '../../terminal/flags.ts';

/** @returns undefined without any of the flags. @throws CliError for an empty one, and for one with a value twice */
export function adoptFrom(flags: Flags): JsonObject | undefined {
  const id = flags.text('id');
  const parts = [...(id === undefined ? [] : [{ id }]), ...flags.texts('adopt').map(partIn)];
  const entries = parts.flatMap((part) => Object.entries(part));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw usageError(`${twice} is given twice in what identifies the object.`);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function partIn(text: string): JsonObject {
  if (text.startsWith('{')) {
    const value = jsonIn(text);
    if (value !== undefined && isJsonObject(value) && !isJsonArray(value)) return value;
    throw usageError('--adopt must be KEY=VALUE or an object of JSON, and is no valid JSON.');
  }
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(`--adopt must be KEY=VALUE or an object of JSON, is "${text}".`);
  }
  return { [name]: value };
}

/** @returns such as `id=x, region=eu` */
export function adoptText(adopt: JsonObject): string {
  return Object.entries(adopt)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** @returns the arguments that say the same, such as `--id` and `x` */
export function adoptFlags(adopt: JsonObject): readonly string[] {
  const values = Object.entries(adopt);
  const isText = values.every(([name, value]) => typeof value === 'string' && !name.includes('='));
  if (!isText) return ['--adopt', JSON.stringify(adopt)];
  return values.flatMap(([name, value]) =>
    name === 'id' ? ['--id', `${value}`] : ['--adopt', `${name}=${value}`],
  );
}
