/** The reason of an aborted signal. */
export declare function resourceDeleted(): Error;
/** Returns whether the signal was aborted because the resource is being deleted. */
export declare function isDeleted({ reason }: AbortSignal): boolean;
