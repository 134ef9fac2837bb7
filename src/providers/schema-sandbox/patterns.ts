// Runs tenants' regular expressions in an engine with linear time. Unsupported syntax (lookaround, backreferences) is
// rejected, never passed to the engine of JavaScript.

import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternRefusal, reviewedPatterns } from './pattern-syntax.ts';

export interface Matcher {
  test(text: string): boolean;
}

/** @throws RE2JSSyntaxException when the pattern is outside the supported syntax */
export function compilePattern(pattern: string): Matcher {
  if (reviewedPatterns.has(pattern)) return new RegExp(pattern, 'u');
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** @returns why a pattern cannot be used, undefined when it can */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : '';
    return patternRefusal(pattern, reason);
  }
}
