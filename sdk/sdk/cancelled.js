// The end of a handler whose resource is being deleted.
// A provider may have a bundled copy of this file, so its classes differ from these.
const mark = Symbol.for('fairlead.deleted');
/** The reason of an aborted signal. */
export function resourceDeleted() {
    // Not enumerable: loggers print the error as any other.
    return Object.defineProperty(new Error('The resource is being deleted'), mark, { value: true });
}
/** Returns whether the signal was aborted because the resource is being deleted. */
export function isDeleted({ reason }) {
    return reason instanceof Error && mark in reason;
}
