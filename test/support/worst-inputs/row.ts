// A pure function of src with the worst input that tenants can give it.

export interface WorstInput {
  /** The module below src, and the function: `domain/observation/missing missingFields`. */
  readonly of: string;
  /** What makes the input the worst. */
  readonly input: string;
  /** What tenants wrote, and what Fairlead made of it. */
  readonly args: () => readonly unknown[];
  readonly call: (...args: never[]) => unknown;
}

/** @param call the function itself, or what uses all of its result */
export function worst<Args extends readonly [unknown, ...unknown[]]>(
  of: string,
  input: string,
  args: () => Args,
  call: (...args: Args) => unknown,
): WorstInput {
  return { of, input, args, call };
}
