import { type ListBody, type ListedBody } from '../../domain/event.js';
import type { AnyObject, HandlerLog } from '../call.js';
import type { ResourceType } from '../provider.js';
interface ListSurroundings {
    readonly settings: AnyObject;
    readonly started: AnyObject;
    readonly log: HandlerLog;
    readonly signal: AbortSignal;
}
/**
 * @throws TerminalFailure when the type has no handler `list`, and when it returned no page
 * @throws what the handler throws
 */
export declare function listPage(type: ResourceType, { cursor, organization_id: organization }: ListBody, { settings, started, log, signal }: ListSurroundings): Promise<ListedBody>;
export {};
