// The header `traceparent` of W3C Trace Context: the trace that a request belongs to, and the operation that caused it.
const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const zeros = /^0+$/;
/** @returns a valid value; undefined for any other, which is to be ignored */
export function traceparentIn(header) {
    if (typeof header !== 'string')
        return undefined;
    const [value, traceId = '', parentId = ''] = pattern.exec(header) ?? [];
    return zeros.test(traceId) || zeros.test(parentId) ? undefined : value;
}
/** @param traceparent a valid value */
export function traceIdOf(traceparent) {
    return traceparent.split('-')[1] ?? '';
}
