import { type DeliveryOptions } from '../domain/delivery-options.js';
/**
 * @throws RangeError when Fairlead would reject a number
 * @throws TypeError when `retry` is no object, has an option that Fairlead does not know, or none
 */
export declare function requireDeliveryOptions(type: string, options: DeliveryOptions): void;
