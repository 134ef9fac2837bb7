// What builds refuse in a schema and that can be told without compiling it. The SDK ships this file and what it imports, for its
// test kit. Pure.
import type { JsonObject } from '../../lib/json.ts';
import { patternSyntaxProblem } from './pattern-syntax.ts';
import { maxViolations, type Walked, walkSchema } from './walk.ts';
import { withoutEffect } from './without-effect.ts';

/** @returns the violations of the walk, or else those of keywords without an effect and of patterns; and all patterns */
export function inspectSchema(schema: JsonObject): Walked {
  const { violations, patterns } = walkSchema(schema);
  if (violations.length > 0) return { violations, patterns };
  const found = [
    ...withoutEffect(schema),
    ...patterns.flatMap(({ loc, pattern }) => {
      const msg = patternSyntaxProblem(pattern);
      return msg === undefined ? [] : [{ loc, msg }];
    }),
  ];
  const all = found.map(({ loc, msg }) => ({ loc, msg, type: 'value_error' }));
  return { violations: all.slice(0, maxViolations), patterns };
}
