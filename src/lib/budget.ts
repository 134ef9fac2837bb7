// Counts the work that an input of somebody else causes beyond one step for each member of a value. A request or a pass has one
// budget, which it hands down; whoever finds it spent answers with what is safe.

/** A JSON Pointer that is longer is not followed further: many paths that begin alike would be longer than all values together. */
export const maxPathCharacters = 2_048;

export interface Budget {
  /** Steps so far, of which each takes less than half a microsecond; the last ones of a spent budget were not made. */
  readonly spent: number;
  /** @returns false once the steps are more than there were */
  spend(steps: number): boolean;
}

/** Some thirty milliseconds. Ordinary inputs need some hundred steps. */
const maxSteps = 75_000;

/** For the schemas of many types, each of which is new once. */
export const stepsForMany = 500_000;

export function createBudget(steps = maxSteps): Budget {
  let spent = 0;
  return {
    get spent() {
      return spent;
    },
    spend(more) {
      if (spent <= steps) spent += more;
      return spent <= steps;
    },
  };
}
