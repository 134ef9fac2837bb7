import type { z } from 'zod';
import type { AnyObject } from '../call.js';
import type { ResourceType } from '../provider.js';
export type VersionedType = Pick<ResourceType, 'name' | 'config' | 'outputs' | 'version' | 'migrations'>;
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
export declare function versionOf({ version }: Pick<ResourceType, 'version'>): number;
/**
 * @returns the value as the newest schema takes it, not checked by that schema yet
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export declare function migrated(type: VersionedType, { side, what, version, value }: Stored, fits?: typeof fitting): Migrated;
/** @throws TerminalFailure `migration_failed` */
export declare function fitting(schema: z.ZodType, { value, misfit }: Migrated): AnyObject;
/**
 * @param stored a config of an earlier version, or of the newest one
 * @returns the config of the newest version as people write it
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export declare function migratedConfig(type: VersionedType, { version, config }: {
    readonly version: number;
    readonly config: AnyObject;
}): AnyObject;
/** Returns whether migrations lead from a version to the newest one. */
export declare function leadsFrom(type: VersionedType, version: number): boolean;
