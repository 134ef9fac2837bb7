import { type ValueComparison } from '../../domain/observation/compare.js';
import type { JsonObject } from '../../lib/json.js';
import type { ResourceType } from '../provider.js';
interface ComparedConfigs {
    /** As people write it. */
    readonly declared: JsonObject;
    readonly actual: JsonObject;
}
export declare function compared(type: ResourceType, { declared, actual }: ComparedConfigs): ValueComparison;
export {};
