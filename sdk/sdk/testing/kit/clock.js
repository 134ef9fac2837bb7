// The clocks of a test: how long the pauses take that Fairlead would make between two calls of a handler.
import { setTimeout as wait } from 'node:timers/promises';
/** Backing services do not live on the virtual clock: an operation of theirs is polled every few milliseconds. */
export const virtualPauseMs = 10;
export async function pauseOn(clock, ms) {
    await wait(clock === 'real' ? ms : Math.min(ms, virtualPauseMs));
}
