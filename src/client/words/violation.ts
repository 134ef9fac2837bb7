// Says in plain words which rule a value breaks: the messages of the API are those that its clients know from other servers. Pure.
import type { Violation as Broken } from '../../domain/errors.ts';
import { createBudget } from '../../lib/budget.ts';
import type { JsonObject } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import { compile } from '../../tenant-schema/place.ts';

/** A violation; a proxy may send its place and message only. */
export type ShownViolation = Pick<Broken, 'loc' | 'msg'> & Partial<Broken>;

type ViolationContext = Readonly<Record<string, unknown>>;

const limits = (context: ViolationContext, what: string): string => {
  const { min_length: least, max_length: most, actual_length: actual } = context;
  const [word, bound] = most === undefined ? ['least', least] : ['most', most];
  const has = actual === undefined ? '' : `, has ${actual}`;
  return `must have at ${word} ${bound} ${what}${bound === 1 ? '' : 's'}${has}`;
};
const length = (context: ViolationContext) =>
  limits(context, context['field_type'] === 'Dictionary' ? 'field' : 'item');
const characters = (context: ViolationContext) => limits(context, 'character');
const choice = ({ expected }: ViolationContext, msg: string) =>
  `must be ${expected}${/; did you mean '[^']*'\?$/.exec(msg) ?? ''}`;
const number = 'must be a number';
const integer = 'must be a whole number';
const boolean = 'must be true or false';

const words: Readonly<
  Record<string, string | ((context: ViolationContext, msg: string) => string)>
> = {
  string_type: 'must be text',
  float_type: number,
  float_parsing: number,
  int_type: integer,
  int_parsing: integer,
  bool_type: boolean,
  bool_parsing: boolean,
  dict_type: 'must have names and values',
  list_type: 'must be a list',
  none_required: 'must be null',
  enum: choice,
  literal_error: choice,
  string_too_short: characters,
  string_too_long: characters,
  too_short: length,
  too_long: length,
  greater_than_equal: ({ ge }) => `must be at least ${ge}`,
  less_than_equal: ({ le }) => `must be at most ${le}`,
  greater_than: ({ gt }) => `must be greater than ${gt}`,
  less_than: ({ lt }) => `must be less than ${lt}`,
  immutable: 'cannot change once the resource exists; restore its value, or replace the resource',
  multiple_of: ({ multiple_of: factor }) => `must be a multiple of ${factor}`,
};

/**
 * @param schema of the type whose config is meant, which has the names that an unknown one may mean
 * @example violationMessage({ loc: ['body', 'config', 'langauge'], type: 'extra_forbidden', … }, schema) // 'unknown field; did you mean language?'
 */
export function violationMessage(violation: ShownViolation, schema?: JsonObject | null): string {
  const { type = '', ctx, msg } = violation;
  if (type === 'extra_forbidden') return `unknown field${suggestion(violation, schema)}`;
  if (type === 'missing') return `is required${ctx === undefined ? '' : `: ${ctx['expected']}`}`;
  const found = Object.hasOwn(words, type) ? words[type] : undefined;
  if (typeof found === 'string') return found;
  if (found !== undefined && ctx !== undefined) return found(ctx, msg);
  return msg.replace(/^Value error, (?:input )?/, '').replace(/^(?:String|Input) should /, 'must ');
}

/** @returns the suggestion of the server, which has the names of its own fields, or that of the schema */
function suggestion({ msg, loc }: ShownViolation, schema: JsonObject | null | undefined): string {
  const at = msg.indexOf(';');
  if (at !== -1) return msg.slice(at);
  const meant = nearest(`${loc.at(-1)}`, namesBeside(loc, schema ?? {}));
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** @returns the names that the schema has where an unknown one stands, in each form of a union */
function namesBeside([, , ...path]: ShownViolation['loc'], schema: JsonObject): readonly string[] {
  const budget = createBudget();
  let place = compile([schema], budget);
  for (const step of path.slice(0, -1)) {
    place = typeof step === 'number' ? place?.item(step, budget) : place?.member(step, budget);
  }
  return [...(place?.properties ?? [])];
}
