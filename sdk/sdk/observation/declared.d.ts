interface DeclaredObserving {
    readonly observe?: unknown;
    readonly observeEvery?: unknown;
    readonly adopt?: unknown;
    readonly list?: unknown;
}
/**
 * @throws TypeError when `observe` or `list` is no function, `adopt` no schema, or one of the options stands without `observe`
 * @throws RangeError when `observeEvery` is no interval that Fairlead accepts
 */
export declare function requireObservation(type: string, declared: DeclaredObserving): void;
export {};
