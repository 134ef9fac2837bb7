// Recognises patterns outside the RE2 syntax without its engine, for the test kit of the SDK: a part of what builds refuse, and
// nothing else. Pure.
import { truncate } from '../../lib/text.js';
/**
 * The patterns of zod for duration(), hostname() and emoji(), with lookaheads. Exactly these texts run in the engine of
 * JavaScript: each was reviewed, and none can backtrack over more than a bounded length.
 */
export const reviewedPatterns = new Set([
    String.raw `^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
    String.raw `^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
    String.raw `^(?=[\s\S]*[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3])[\p{Extended_Pictographic}\p{Emoji_Component}]+$`,
]);
const maxRepetitions = 1_000;
/** An escape, a class, the start of a group, or a repetition. */
const parts = /\\(?:p\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\{(\d+)(?:,(\d*))?\}/gis;
/** @returns why builds refuse a pattern; undefined when only the engine can tell */
export function patternSyntaxProblem(pattern) {
    if (reviewedPatterns.has(pattern))
        return undefined;
    for (const [part, least = '0', most = '0'] of pattern.matchAll(parts)) {
        const reason = partProblem(part, Math.max(Number(least), Number(most)));
        if (reason !== undefined)
            return patternRefusal(pattern, reason);
    }
    return undefined;
}
function partProblem(part, repetitions) {
    if (part.startsWith('(?'))
        return `${part} is lookaround`;
    if (/^\\[1-9]/.test(part))
        return `${part} is a backreference`;
    if (/^\\p\{.*=/i.test(part))
        return `${part} is not a property that it knows`;
    return repetitions > maxRepetitions ? `${part} repeats more than 1000 times` : undefined;
}
export function patternRefusal(pattern, reason) {
    const shown = truncate(pattern, 101);
    const problem = reason === '' ? '' : ` (${reason})`;
    return `Pattern '${shown}' is not supported: patterns follow the RE2 syntax, without lookaround and backreferences${problem}`;
}
