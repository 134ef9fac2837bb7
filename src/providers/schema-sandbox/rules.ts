// Rules that builds refuse a schema by without compiling it. The SDK ships this file and what it imports, for its test kit. Pure.
import { fromProblem } from '../../domain/schemas/deprecated-outputs.ts';
import { immutableProblem, type SchemaOf } from '../../domain/schemas/immutable.ts';
import type { JsonObject } from '../../lib/json.ts';
import { locate } from './locate.ts';
import { patternSyntaxProblem } from './pattern-syntax.ts';
import { maxViolations, type Walked, walkSchema } from './walk.ts';
import { withoutEffect } from './without-effect.ts';

/**
 * @param of what the schema describes
 * @returns the violations of the walk, or else those of keywords without an effect, of marks that cannot work and of patterns; and
 * all patterns
 */
export function inspectSchema(schema: JsonObject, of: SchemaOf = 'config'): Walked {
  const { violations, patterns } = walkSchema(schema);
  if (violations.length > 0) return { violations, patterns };
  const found = [
    ...withoutEffect(schema),
    ...marksWithoutEffect(schema, of),
    ...patterns.flatMap(({ loc, pattern }) => {
      const msg = patternSyntaxProblem(pattern);
      return msg === undefined ? [] : [{ loc, msg }];
    }),
  ];
  const all = found.map(({ loc, msg }) => ({ loc, msg, type: 'value_error' }));
  return { violations: all.slice(0, maxViolations), patterns };
}

function marksWithoutEffect(schema: JsonObject, of: SchemaOf) {
  const found = [immutableProblem(schema, of), fromProblem(schema, of)];
  return found.flatMap((each) =>
    each === undefined ? [] : [{ loc: locate(each.at, schema).loc, msg: each.problem }],
  );
}
