import { type DeliveryOptions } from '../domain/delivery-options.js';
interface DeclaredDelivery extends Omit<DeliveryOptions, 'observe'> {
    readonly cancel?: unknown;
}
/**
 * @throws RangeError when Fairlead would reject a number
 * @throws TypeError when `retry` is no object, has an option that Fairlead does not know, or none; when `cancellable` is no
 * boolean, or `cancel` no function
 */
export declare function requireDeliveryOptions(type: string, options: DeclaredDelivery): void;
interface DeliveryOptionRange {
    /** 1 when absent. */
    readonly min?: number;
    readonly max: number;
}
/** @throws RangeError */
export declare function requireWhole(option: string, value: unknown, { min, max }: DeliveryOptionRange): void;
export {};
