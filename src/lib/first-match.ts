// Evaluates a list of rules: the first one that applies decides.

/** Returns a decision, or undefined when the rule does not apply. */
export type RuleOf<Input extends readonly unknown[], Decision> = (
  ...input: Input
) => Decision | undefined;

/**
 * @param rules in order of precedence
 * @returns the decision of the first rule that applies, undefined when none does
 * @example firstMatch([refuseForeign, createMissing], observed) ?? { do: 'nothing' }
 */
export function firstMatch<Input extends readonly unknown[], Decision>(
  rules: Iterable<RuleOf<Input, Decision>>,
  ...input: Input
): Decision | undefined {
  for (const rule of rules) {
    const decision = rule(...input);
    if (decision !== undefined) return decision;
  }
  return undefined;
}
