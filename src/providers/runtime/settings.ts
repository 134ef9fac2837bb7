// Reads the settings of a provider from its files, one for each setting, and notices when they change.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyObject } from '../../sdk/call.ts';
import { contextMask, type TellSecrets } from '../../sdk/logs/context-mask.ts';
import { jsonLines, maskedLog } from '../../sdk/logs/log.ts';
import { maskedWork } from '../../sdk/logs/printed.ts';
import type { Provider } from '../../sdk/provider.ts';
import { checkSettings, problemLine } from '../../sdk/serve/lifetime.ts';
import {
  declaredSettings,
  InvalidSettings,
  parseSettings,
  settingSecrets,
  settingValues,
  withoutSettings,
} from '../../sdk/settings.ts';

interface SettingsFiles {
  /** For `serve`, which parses them. */
  readonly values: AnyObject;
  /** Resolves when the files have other values that fit the schema and pass `check`, or when the signal is aborted; never rejects. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface SettingsFilesOptions {
  readonly folder: string;
  /** How often to look; 5 s. */
  readonly intervalMs?: number;
  /** Called before `check` gets other values. */
  readonly tell: TellSecrets;
}

/** Why values are not worth a restart: a Secret may be written in steps, and a backing service may not know them yet. */
interface SettingsProblem {
  readonly why: string;
  /** It is looked at again, although the values stay. */
  readonly mayPass: boolean;
}

interface SettingsTexts extends Pick<SettingsProblem, 'mayPass'> {
  readonly texts: ReadonlyMap<string, string>;
}

/** @returns undefined when the provider declares no settings */
export async function readSettingsFolder(
  provider: Provider,
  { folder, intervalMs = 5_000, tell }: SettingsFilesOptions,
): Promise<SettingsFiles | undefined> {
  const declared = declaredSettings(provider);
  if (declared.length === 0) return undefined;
  const read = async () =>
    await readTexts(
      folder,
      declared.map(({ name }) => name),
    );
  const first = await read();
  const valuesOf = (texts: ReadonlyMap<string, string>) => settingValues(declared, texts);

  async function problem(
    texts: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<SettingsProblem | undefined> {
    const values = valuesOf(texts);
    try {
      const mask = contextMask(provider, { settings: settingSecrets(provider, values) });
      await tell(mask.secrets());
      const settings = await parseSettings(provider, values);
      const log = maskedLog(jsonLines, mask);
      await maskedWork(mask, () => checkSettings(provider, { settings, log, signal }));
      return undefined;
    } catch (thrown) {
      const why = withoutSettings(provider, values, problemLine(thrown));
      return { why, mayPass: !(thrown instanceof InvalidSettings) };
    }
  }

  function warn({ why }: SettingsProblem): void {
    jsonLines.warn('The settings have changed and are not used', { provider: provider.name, why });
  }

  /** @returns what is seen now; undefined when it is worth a restart */
  async function look(
    seen: SettingsTexts,
    signal: AbortSignal,
  ): Promise<SettingsTexts | undefined> {
    // Unreadable files do not end a provider that has what it needs.
    const texts = await read().catch(() => seen.texts);
    const isNews = !hasSameTexts(seen.texts, texts);
    if (!isNews && !seen.mayPass) return seen;
    if (hasSameTexts(first, texts)) return { texts, mayPass: false };
    const found = await problem(texts, signal);
    if (found !== undefined && isNews && !signal.aborted) warn(found);
    return found && { texts, mayPass: found.mayPass };
  }

  return {
    values: valuesOf(first),
    async changed(signal) {
      let seen: SettingsTexts | undefined = { texts: first, mayPass: false };
      while (seen !== undefined) {
        await pause(intervalMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        seen = await look(seen, signal);
      }
    },
  };
}

async function readTexts(
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

function hasSameTexts(
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([name, text]) => right.get(name) === text);
}
