/** Events are JSON, which omits undefined values. */
export function asJson(value) {
    return JSON.parse(JSON.stringify(value));
}
