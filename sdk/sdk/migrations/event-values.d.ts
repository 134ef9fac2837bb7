import type { EventBody } from '../../domain/event.js';
import type { AnyObject } from '../call.js';
import { type VersionedType } from './migrate.js';
export interface EventValues {
    readonly config: AnyObject;
    /** null when there was no success before. */
    readonly previousConfig: AnyObject | null;
    readonly outputs: AnyObject;
}
/**
 * A type that declares no versions gets values of a deletion, and those of the last success, unparsed when they do not fit; any other
 * type only values that fit. An observation gets what there is.
 * @throws TerminalFailure `invalid_config` for a config of the present version, otherwise `migration_failed`
 */
export declare function eventValues(type: VersionedType, event: EventBody): EventValues;
/** A deletion, and what precedes it. */
export declare function isRemoval({ event_type }: Pick<EventBody, 'event_type'>): boolean;
/** @returns what people declared of the config of an OBSERVE, in the newest version; undefined when it has no earlier one */
export declare function declaredConfig(type: VersionedType, event: EventBody): AnyObject | undefined;
