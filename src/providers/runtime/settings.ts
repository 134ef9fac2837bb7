// Reads the settings of a provider from its files, one for each setting, and notices when they change.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyObject } from '../../sdk/call.ts';
import { jsonLines } from '../../sdk/log.ts';
import type { Provider } from '../../sdk/provider.ts';
import {
  declaredSettings,
  InvalidSettings,
  parseSettings,
  settingValues,
} from '../../sdk/settings.ts';

export interface SettingsFiles {
  /** For `serve`, which parses them. */
  readonly values: AnyObject;
  /** Resolves when the files have other values that fit the schema, or when the signal is aborted; never rejects. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface SettingsFilesOptions {
  readonly folder: string;
  /** How often to look; 5 s. */
  readonly intervalMs?: number;
}

/** @returns undefined when the provider declares no settings */
export async function readSettings(
  provider: Provider,
  { folder, intervalMs = 5_000 }: SettingsFilesOptions,
): Promise<SettingsFiles | undefined> {
  const declared = declaredSettings(provider);
  if (declared.length === 0) return undefined;
  const read = async () =>
    await textsIn(
      folder,
      declared.map(({ name }) => name),
    );
  const first = await read();
  const valuesOf = (texts: ReadonlyMap<string, string>) => settingValues(declared, texts);

  /** A Secret may be written in steps: what does not fit is not worth a restart. */
  async function fits(texts: ReadonlyMap<string, string>): Promise<boolean> {
    try {
      await parseSettings(provider, valuesOf(texts));
      return true;
    } catch (thrown) {
      const why = thrown instanceof InvalidSettings ? thrown.message : 'they cannot be checked';
      jsonLines.warn('The settings have changed and are not used', {
        provider: provider.name,
        why,
      });
      return false;
    }
  }

  return {
    values: valuesOf(first),
    async changed(signal) {
      let seen = first;
      while (!signal.aborted) {
        await pause(intervalMs, undefined, { signal }).catch(() => undefined);
        // Unreadable files do not end a provider that has what it needs.
        const now = signal.aborted ? seen : await read().catch(() => seen);
        if (isSame(seen, now)) continue;
        seen = now;
        if (!isSame(first, now) && (await fits(now))) return;
      }
    },
  };
}

async function textsIn(
  folder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of names) {
    const text = await fileText(join(folder, name));
    if (text !== undefined) texts.set(name, text);
  }
  return texts;
}

async function fileText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

function isSame(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([name, text]) => right.get(name) === text);
}
