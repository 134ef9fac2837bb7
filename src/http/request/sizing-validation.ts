// Checks the number and size of the pods of a provider against the limits of its organization, before anything is stored.
import { InvalidRequest } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { type Sizing, sizingProblems } from '../../domain/pod-resources.ts';

/** @throws InvalidRequest naming field, rule and what to do */
export function requireSizing(sizing: Sizing, limits: Limits): void {
  const problems = sizingProblems(sizing, limits);
  if (problems.length === 0) return;
  throw new InvalidRequest(
    problems.map(({ at, rule }) => ({ loc: ['body', ...at], msg: rule, type: 'limit' })),
  );
}
