// Keywords that have no effect without another one. Ajv refuses them in its strict mode, with a message that names no place. Pure.
import type { JsonObject } from '../../lib/json.ts';
import { isJsonObject } from '../../lib/json.ts';
import { everySchema, type Loc } from '../../tenant-schema/structure.ts';

export interface SchemaProblem {
  readonly loc: Loc;
  readonly msg: string;
}

/** Keywords, and those of which they need one. */
const needs: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
  then: ['if'],
  else: ['if'],
  minContains: ['contains'],
  maxContains: ['contains'],
};

/** @param root a schema whose keywords are known to be well-formed */
export function withoutEffect(root: JsonObject): readonly SchemaProblem[] {
  return [...everySchema(root)].flatMap(({ schema, loc }) =>
    isJsonObject(schema)
      ? problemsOf(schema).map(({ loc: [keyword = ''], msg }) => ({ loc: [...loc, keyword], msg }))
      : [],
  );
}

function problemsOf(schema: JsonObject): readonly SchemaProblem[] {
  const has = (keyword: string) => Object.hasOwn(schema, keyword);
  const alone = Object.entries(needs).flatMap(([keyword, others]) =>
    has(keyword) && !others.some(has)
      ? [{ loc: [keyword], msg: `'${keyword}' has no effect without '${others.join("' or '")}'` }]
      : [],
  );
  return [...alone, ...boundsProblems(schema)];
}

function boundsProblems({
  contains,
  minContains,
  maxContains,
}: JsonObject): readonly SchemaProblem[] {
  if (contains === undefined || typeof minContains !== 'number') return [];
  const loc = ['minContains'];
  if (maxContains === undefined && minContains === 0) {
    return [{ loc, msg: "'minContains' 0 makes 'contains' have no effect without 'maxContains'" }];
  }
  const isAbove = typeof maxContains === 'number' && minContains > maxContains;
  return isAbove ? [{ loc, msg: "'minContains' is above 'maxContains'" }] : [];
}
