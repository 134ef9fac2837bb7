// Tells a wrong clock from a wrong signature. A wrong clock is repaired and the event is sent again; a wrong signature stays
// wrong. Pure.
import { Refusal } from './refusal.js';
/** The difference of clocks that does not matter, in seconds. */
export const clockToleranceSeconds = 30;
/** The token is right, but not valid at this time. */
class ClockSkew extends Refusal {
    retryAfter = 30;
    constructor(now, { iat }) {
        const difference = now - iat;
        const direction = difference < 0 ? 'behind' : 'ahead of';
        super(503, 'clock_skew', `The clock of the provider is ${Math.abs(difference)} s ${direction} that of Fairlead: its time is ${inWords(now)}, the event was signed at ${inWords(iat)}`);
    }
}
/** @throws Refusal when a token is not yet or no longer valid, by more than the tolerance */
export function checkClock(times, now) {
    const seconds = Math.floor(now.getTime() / 1_000);
    const isEarly = times.iat > seconds + clockToleranceSeconds;
    const isLate = times.exp <= seconds - clockToleranceSeconds;
    if (isEarly || isLate)
        throw new ClockSkew(seconds, times);
}
function inWords(seconds) {
    return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
