// One crash, one culprit: a handler that ends the process is answered at once, and the other handlers may end before the process
// does.
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../serve/refusal.js';
import { crashed } from '../serve/reply.js';
import { describe } from './describe.js';
import { traced, untraced, watchProcess } from './trace.js';
/** The time for answers to leave the process. */
const flushMs = 1_000;
/** Watches the process until `stop`: handlers of `run` no longer end it alone. */
export function watchCrashes({ codeFolder, graceMs, close }) {
    const unwatch = watchProcess();
    const leave = joinEnding({ end });
    let running = 0;
    let onIdle = () => undefined;
    async function end() {
        const idle = new Promise((resolve) => {
            onIdle = resolve;
            if (running === 0)
                resolve();
        });
        await Promise.race([idle, pause(graceMs)]);
        await close(running === 0 ? flushMs : 0);
    }
    function tracedBy({ resource, log }, answer) {
        let hasCrashed = false;
        return {
            onCrash(thrown, exitCode) {
                if (hasCrashed)
                    return;
                hasCrashed = true;
                const { message, full } = describe(thrown, codeFolder);
                note(log, thrown);
                const last = `The handler of ${resource} ended the process: ${message}`;
                endProcess({ exitCode, lastWords: `${full}\n\n${last}\n` });
                answer(crashed(message));
            },
        };
    }
    return {
        isEnding,
        async run(subject, handler) {
            if (isEnding())
                throw new Refusal(503, 'terminating', 'The process ends after a crash');
            const culprit = Promise.withResolvers();
            running += 1;
            try {
                const work = traced(tracedBy(subject, culprit.resolve), handler);
                return await Promise.race([work, culprit.promise]);
            }
            finally {
                running -= 1;
                if (running === 0)
                    onIdle();
            }
        },
        stop() {
            leave();
            unwatch();
        },
    };
}
function note(log, thrown) {
    try {
        log.error('The handler ends the process, after the other handlers', { error: thrown });
    }
    catch {
        // A failing log of the provider must not prevent the answer.
    }
}
const parties = new Set();
let ending;
/** @returns a function that leaves */
function joinEnding(party) {
    parties.add(party);
    return () => {
        parties.delete(party);
    };
}
function isEnding() {
    return ending !== undefined;
}
function endProcess(crash) {
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
