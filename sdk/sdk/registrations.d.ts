import { type DeliveryOptionsBody } from '../domain/delivery-options.js';
import { type TypeVersionsBody } from '../domain/type-version.js';
import { type JsonObject } from '../lib/json.js';
import type { Provider } from './provider.js';
/** The body of `POST /resources/register`; of the options of delivery and the versions only those that the type declares. */
export interface Registration extends DeliveryOptionsBody, TypeVersionsBody {
    readonly provider: string;
    readonly resource: string;
    readonly description: string;
    readonly schema: JsonObject;
}
/**
 * @returns the registrations of a provider's types, with the JSON Schemas of their configs and outputs, also of versions that they
 * migrate from, and of `adopt`
 * @throws TypeError when a schema cannot be converted to JSON Schema, unless it is that of the outputs of a type that was made by the
 * function `resource`, which is then absent; when a mark `immutable` cannot work where it stands
 */
export declare function registrationsOf({ name, types }: Provider): readonly Registration[];
