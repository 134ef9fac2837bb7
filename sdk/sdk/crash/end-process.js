// Ends the process after a crash, once its other handlers have ended. The first crash decides about the exit code and about the
// last words.
import { untraced } from './trace.js';
const parties = new Set();
let ending;
/** @returns a function that leaves */
export function joinEnding(party) {
    parties.add(party);
    return () => {
        parties.delete(party);
    };
}
export function isEnding() {
    return ending !== undefined;
}
export function endProcess(crash) {
    if (ending !== undefined)
        return;
    ending = crash;
    // However the process ends from now on, also by SIGTERM or by an error of no handler.
    process.once('exit', () => {
        process.stderr.write(crash.lastWords);
        process.exitCode = crash.exitCode;
    });
    untraced(() => void exitAfterAll(crash));
}
async function exitAfterAll({ exitCode }) {
    await Promise.allSettled([...parties].map((party) => party.end()));
    process.exit(exitCode);
}
