import { patternSyntaxProblem } from './pattern-syntax.js';
import { maxViolations, walkSchema } from './walk.js';
import { withoutEffect } from './without-effect.js';
/** @returns the violations of the walk, or else those of keywords without an effect and of patterns; and all patterns */
export function inspectSchema(schema) {
    const { violations, patterns } = walkSchema(schema);
    if (violations.length > 0)
        return { violations, patterns };
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
