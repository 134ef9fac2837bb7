/** The most attempts of one event that a type may declare. */
export declare const maxAttemptsOfType = 20;
/** The longest wait between two attempts that a type may declare. */
export declare const maxDelaySecondsOfType = 600;
/** The most deliveries at a time that a type or a provider may declare. */
export declare const maxConcurrency = 1000;
/** The longest wait until the next delivery that an answer may ask for, a 202 or a 429. More is cut to it. */
export declare const maxAskedSeconds = 3600;
/** How long an operation of a type may take, in seconds. */
export declare const operationLimitRange: {
    readonly min: 60;
    readonly max: 86400;
};
export interface RetryOptions {
    /** Attempts of one event in total, from 1 to 20. */
    readonly attempts?: number | undefined;
    /** The longest random wait between two attempts, in whole seconds from 1 to 600. */
    readonly maxDelaySeconds?: number | undefined;
}
export interface DeliveryOptions {
    /** How long a handler may run. */
    readonly timeoutSeconds?: number | undefined;
    /** How often, and after which waits, a failed event is tried again. */
    readonly retry?: RetryOptions | undefined;
    /** Whether a deletion ends the handler in flight. */
    readonly cancellable?: boolean | undefined;
    /** Whether a deletion asks the provider to end an operation under way. */
    readonly cancelsOperations?: boolean | undefined;
    /** How many events of the type are delivered at a time. */
    readonly concurrency?: number | undefined;
    /** How long an operation, or waits that the provider asks for, may take. */
    readonly operationLimitSeconds?: number | undefined;
    /** Whether the provider observes objects of the type. */
    readonly observe?: boolean | undefined;
    /** How often they are observed, such as `10m`. */
    readonly observeEvery?: string | undefined;
    /** Whether the provider lists the objects of the type that exist. */
    readonly listable?: boolean | undefined;
}
/** The names of the options in JSON. */
declare const namesInBodies: {
    readonly timeoutSeconds: 'timeout_seconds';
    readonly retry: 'retry';
    readonly cancellable: 'cancellable';
    readonly cancelsOperations: 'cancels_operations';
    readonly concurrency: 'concurrency';
    readonly operationLimitSeconds: 'operation_limit_seconds';
    readonly observe: 'observe';
    readonly observeEvery: 'observe_every';
    readonly listable: 'listable';
};
export declare const deliveryOptionNames: readonly (keyof DeliveryOptions)[];
interface RetryBody {
    readonly attempts?: number | undefined;
    readonly max_delay_seconds?: number | undefined;
}
export type DeliveryOptionsBody = {
    readonly [Name in keyof DeliveryOptions as (typeof namesInBodies)[Name]]?: Name extends 'retry' ? RetryBody : NonNullable<DeliveryOptions[Name]>;
};
type GivenDeliveryOptions = {
    readonly [Name in keyof DeliveryOptionsBody]: DeliveryOptionsBody[Name] | null | undefined;
};
/** @param body where null, false and an absent member mean the same */
export declare function deliveryOptionsIn(body: GivenDeliveryOptions): DeliveryOptions;
/** @returns only the members that the type declares */
export declare function deliveryOptionsBody(options: DeliveryOptions): DeliveryOptionsBody;
export {};
