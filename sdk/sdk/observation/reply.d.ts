import { type EventBody, type ObservedBody } from '../../domain/event.js';
import type { AnyObject } from '../call.js';
import type { ResourceType } from '../provider.js';
/**
 * @returns what identifies an imported object, parsed by its schema; null for one that Fairlead created
 * @throws TerminalFailure `invalid_adopt` when it does not fit
 */
export declare function adoptedObject({ adopt }: ResourceType, event: EventBody): AnyObject | null;
/**
 * @param returned what `observe` returned
 * @throws TerminalFailure when it is no observation
 * @throws Error when it is a `later`
 */
export declare function observedBody(type: ResourceType, event: EventBody, returned: unknown): ObservedBody;
