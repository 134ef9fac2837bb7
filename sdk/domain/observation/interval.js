// How often resources are observed: intervals such as `10m`, from a minute to a week. Pure.
/** Form of an interval: a whole number of seconds, minutes, hours or days. */
export const intervalPattern = /^[1-9][0-9]{0,5}[smhd]$/;
export const minIntervalMs = 60_000;
export const maxIntervalMs = 7 * 86_400_000;
/** The interval of a type that declares none. */
export const defaultInterval = '1h';
const unitMs = {
    s: 1_000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
};
/**
 * @returns the milliseconds of an interval; undefined for another form, and outside the limits
 * @example intervalMs('10m') // 600000
 */
export function intervalMs(text) {
    if (!intervalPattern.test(text))
        return undefined;
    const ms = Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN);
    return ms >= minIntervalMs && ms <= maxIntervalMs ? ms : undefined;
}
const defaultMs = intervalMs(defaultInterval) ?? Number.NaN;
/** @returns the milliseconds of the first interval that is one, or else those of the default: kubectl may have stored any text */
export function observedEveryMs(...intervals) {
    for (const each of intervals) {
        const ms = each === undefined ? undefined : intervalMs(each);
        if (ms !== undefined)
            return ms;
    }
    return defaultMs;
}
/** The rule, for messages. */
export const intervalRule = 'a whole number with s, m, h or d, from 1m to 7d, such as 10m';
