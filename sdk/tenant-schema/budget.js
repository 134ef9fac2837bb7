// Counts the work that a schema of a tenant causes beyond one step for each member of a value. A request or a pass has one budget,
// which it hands down; whoever finds it spent answers with what is safe.
/** Some fifty milliseconds. Ordinary schemas need some hundred steps, once. */
const maxSteps = 250_000;
export function createBudget(steps = maxSteps) {
    let spent = 0;
    return {
        get spent() {
            return spent;
        },
        spend(more) {
            spent += more;
            return spent <= steps;
        },
    };
}
