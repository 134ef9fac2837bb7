// `progress` of a handler's argument: what it reports is validated, and passed on. It never fails a handler in production.
import { parseProgress } from '../domain/progress/value.js';
import { isLater } from './outcome.js';
/** For tests of handlers: nothing is shown, and a mistake is an error. */
export const noProgress = {
    accept() { },
    refuse(problem) {
        throw new RangeError(problem);
    },
};
/** @returns the function that a handler calls */
export function reporterTo({ accept, refuse } = noProgress) {
    return (given) => {
        const progress = parseProgress(given);
        if ('problem' in progress)
            refuse(`progress: ${progress.problem}`);
        else
            accept(progress);
    };
}
/** @returns what a handler returned; a `later` has its progress as it is sent, and none that does not fit */
export function withProgress(returned, { refuse } = noProgress) {
    if (!isLater(returned) || returned.progress === undefined)
        return returned;
    const parsed = parseProgress(returned.progress);
    const problem = 'problem' in parsed ? parsed.problem : undefined;
    if (problem !== undefined)
        refuse(`progress of later: ${problem}`);
    return { ...returned, progress: problem === undefined ? parsed : undefined };
}
/** Logs the first mistake of a call: a loop would repeat it thousands of times. */
export function warningOnce(warn) {
    let isWarned = false;
    return (problem) => {
        if (isWarned)
            return;
        isWarned = true;
        try {
            warn(`The report of the handler is not shown: ${problem}`);
        }
        catch {
            // A failing log of the provider must not fail the handler.
        }
    };
}
