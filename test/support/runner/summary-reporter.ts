// Prints the slowest files of a run, and in the last line its totals: `N passed, N failed`.
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/** A run of a few files needs no list. */
const minFiles = 40;
const shownFiles = 20;

export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failedTests = tests.filter(hasFailed).length;
    // A file that failed to load has no tests, and an error outside of tests belongs to none.
    const broken = modules.filter((module) => module.children.size === 0 && !module.ok()).length;
    const failed = failedTests + broken + unhandledErrors.length;
    const skipped = tests.length - passed - failedTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const lines = [...slowest(modules), `${passed} passed, ${failed} failed${tail}`];
    // After the final lines of the default reporter, which it prints in the same phase.
    setImmediate(() => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

/** Tests of a suite whose hook failed do not run: they count as failed, not as skipped. */
function hasFailed(test: TestCase): boolean {
  const { state } = test.result();
  return state === 'failed' || (state !== 'passed' && isInBrokenSuite(test));
}

function isInBrokenSuite({ parent }: TestCase | TestSuite): boolean {
  if (parent.errors().length > 0) return true;
  return parent.type === 'suite' && isInBrokenSuite(parent);
}

function slowest(modules: readonly TestModule[]): readonly string[] {
  if (modules.length < minFiles) return [];
  const seconds = (module: TestModule) => module.diagnostic().duration / 1_000;
  const files = modules.toSorted((left, right) => seconds(right) - seconds(left));
  const lines = files
    .slice(0, shownFiles)
    .map((file) => `${seconds(file).toFixed(1).padStart(7)} s  ${relative('', file.moduleId)}`);
  return ['Slowest files:', ...lines];
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default SummaryReporter;
