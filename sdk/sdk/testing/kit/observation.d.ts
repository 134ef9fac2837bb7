import type { JsonObject } from '../../../lib/json.js';
import type { ResourceType } from '../../provider.js';
import type { Ending, Later } from '../step.js';
import type { ObservedObject } from './kit-resource.js';
/** @throws Error when nothing was observed */
export declare function observedObject(type: ResourceType, taken: Exclude<Ending, {
    kind: 'unanswered';
}> | Later, declared: JsonObject): ObservedObject;
export declare const notFound: {
    readonly state: 'failed';
    readonly code: 'NOT_FOUND';
    readonly message: 'No object was found for the import: observe returned gone()';
};
