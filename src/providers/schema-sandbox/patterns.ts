// Runs tenants' regular expressions in an engine with linear time. Unsupported syntax (lookaround, backreferences) is
// rejected, never passed to the engine of JavaScript.

import { RE2JS, RE2JSSyntaxException } from 're2js';
import { truncate } from '../../lib/text.ts';

export interface Matcher {
  test(text: string): boolean;
}

/**
 * The patterns of zod for duration(), hostname() and emoji(), with lookaheads. Exactly these texts run in the engine of
 * JavaScript: each was reviewed, and none can backtrack over more than a bounded length.
 */
const reviewed: ReadonlySet<string> = new Set([
  String.raw`^P(?:(\d+W)|(?!.*W)(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$`,
  String.raw`^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$`,
  String.raw`^(?=[\s\S]*[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3])[\p{Extended_Pictographic}\p{Emoji_Component}]+$`,
]);

/** @throws RE2JSSyntaxException when the pattern is outside the supported syntax */
export function compilePattern(pattern: string): Matcher {
  if (reviewed.has(pattern)) return new RegExp(pattern, 'u');
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** @returns why a pattern cannot be used, undefined when it can */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof RE2JSSyntaxException ? ` (${error.getDescription()})` : '';
    const shown = truncate(pattern, 101);
    return `Pattern '${shown}' is not supported: patterns follow the RE2 syntax, without lookaround and backreferences${reason}`;
  }
}
