import type { AnyObject } from '../call.js';
import { type Stored, type VersionedType } from './migrate.js';
/**
 * @returns the values of the migrated config that are the same without the defaults of earlier versions; when a step cannot do
 * without them, those that no step changes
 * @throws TerminalFailure `migration_failed`
 */
export declare function migratedDeclared(type: VersionedType, stored: Stored): AnyObject;
