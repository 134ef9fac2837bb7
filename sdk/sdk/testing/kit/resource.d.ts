import { type Delivering } from './deliver.js';
import type { KitResource, ResourceSettings } from './kit-resource.js';
export interface ResourceNames {
    readonly organization: string;
    readonly name: string;
}
export declare function createResource({ organization, name }: ResourceNames, common: Omit<Delivering, 'nextSequence' | 'onDelivery' | 'onProgress'>, { stored, observe }: ResourceSettings): KitResource;
