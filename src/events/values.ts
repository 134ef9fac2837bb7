// What values in answers of providers may be. Pure.

const depthLimit = 64;

/**
 * JSON.parse has already rounded integers beyond 2^53, and the results are still beyond it. It also accepts any depth, which
 * later code cannot handle.
 * @returns the reason why a value is not allowed; undefined when it is
 */
export function problemOf(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'number') {
    const exact =
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return exact ? undefined : 'a number that JSON cannot represent exactly';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > depthLimit) return `values nested deeper than ${depthLimit} levels`;
  for (const member of Object.values(value)) {
    const problem = problemOf(member, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
