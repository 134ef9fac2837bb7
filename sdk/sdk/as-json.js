/**
 * Events are JSON, which omits undefined values.
 * @throws TypeError for values that JSON cannot represent: bigint, circular values
 */
export function asJson(value) {
    return JSON.parse(JSON.stringify(value));
}
