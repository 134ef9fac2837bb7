import { type DeliveryOptionsBody } from '../domain/delivery-options.js';
import type { JsonObject } from '../lib/json.js';
import type { Provider } from './provider.js';
/** The body of `POST /resources/register`; of the options of delivery only those that the type declares. */
export interface Registration extends DeliveryOptionsBody {
    readonly provider: string;
    readonly resource: string;
    readonly description: string;
    readonly schema: JsonObject;
}
/** @returns the registrations of a provider's types, with the JSON Schemas of their configurations */
export declare function registrationsOf({ name, types }: Provider): readonly Registration[];
