import { type Setting } from '../domain/schemas/setting-schema.js';
import type { JsonObject } from '../lib/json.js';
import type { AnyObject } from './call.js';
import type { Provider } from './provider.js';
export declare class InvalidSettings extends Error {
    readonly name = "InvalidSettings";
}
/** @returns the JSON Schema of the settings, in the form that people give; undefined when the provider declares none */
export declare function settingsSchemaOf({ settings }: Pick<Provider, 'settings'>): JsonObject | undefined;
/** @returns the settings of a provider with what is needed to read them */
export declare function declaredSettings(provider: Pick<Provider, 'settings'>): readonly Setting[];
/** @param texts the stored forms by name; others than declared ones are ignored */
export declare function settingValues(declared: readonly Setting[], texts: ReadonlyMap<string, string>): AnyObject;
/**
 * @param values as people give them; defaults are filled in
 * @returns the settings for handlers; an empty object when the provider declares none
 * @throws InvalidSettings
 */
export declare function parseSettings({ settings }: Pick<Provider, 'settings'>, values: AnyObject): Promise<AnyObject>;
/**
 * @param values as people give them
 * @returns a text of the author's code in which the names of settings stand for what is secret in them: sensitive values, and
 * passwords in addresses. Others are ordinary words, which many sentences have.
 */
export declare function withoutSettings(provider: Pick<Provider, 'settings'>, values: AnyObject, text: string): string;
