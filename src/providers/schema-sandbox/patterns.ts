// Runs tenants' regular expressions in an engine with linear time. Unsupported syntax (lookaround, backreferences) is
// rejected, never passed to the engine of JavaScript.

import { RE2JS, RE2JSSyntaxException } from 're2js';
import { patternRefusal, reviewedPatterns } from './pattern-syntax.ts';

/** @throws RE2JSSyntaxException when the pattern is outside the supported syntax */
export function compilePattern(pattern: string): { test(text: string): boolean } {
  if (reviewedPatterns.has(pattern)) return new RegExp(pattern, 'u');
  return RE2JS.compile(RE2JS.translateRegExp(withAllSpaces(pattern)));
}

/** Besides those of RE2: the spaces of JavaScript. */
const otherSpaces =
  '\\x0b\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** A `\s` means what it means in JavaScript, as JSON Schema has it. */
function withAllSpaces(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*/gs, (part) => {
    if (part === '\\s') return `[\\s${otherSpaces}]`;
    if (part === '\\S') return `[^\\s${otherSpaces}]`;
    if (!part.startsWith('[')) return part;
    return part.replace(/\\./gs, (each) => (each === '\\s' ? `\\s${otherSpaces}` : each));
  });
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
