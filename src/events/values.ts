// Rules for values in answers of providers. Pure.
import { isExactNumber } from '../lib/numbers.ts';
import { clean } from '../lib/text.ts';

const depthLimit = 64;
const nameLimit = 200;

/**
 * JSON.parse also accepts any depth, which later code cannot handle.
 * @returns the reason why a value is not allowed, with the path of what breaks the rule; undefined when it is
 */
export function valueProblem(value: unknown): string | undefined {
  return problemAt(value, undefined, 1);
}

interface Step {
  readonly parent: Step | undefined;
  readonly name: string | number;
}

function problemAt(value: unknown, step: Step | undefined, depth: number): string | undefined {
  if (typeof value === 'number') {
    if (isExactNumber(value)) return undefined;
    return `a number that JSON cannot represent exactly${stepText(step)}; return it as a string`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > depthLimit) {
    return `values nested deeper than ${depthLimit} levels${stepText(rootOf(step))}`;
  }
  // Most members are plain: steps to them would cost more than everything else.
  const members: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [name, member] of members) {
    if (!mayHaveProblem(member)) continue;
    const problem = problemAt(member, { parent: step, name }, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mayHaveProblem(member: unknown): boolean {
  return (typeof member === 'object' && member !== null) || typeof member === 'number';
}

function stepText(step: Step | undefined): string {
  const names: (string | number)[] = [];
  for (let at = step; at !== undefined; at = at.parent) names.unshift(at.name);
  return names.length === 0 ? '' : ` in ${clean(names.join('.'), nameLimit)}`;
}

function rootOf(step: Step | undefined): Step | undefined {
  let root = step;
  while (root?.parent !== undefined) root = root.parent;
  return root;
}
