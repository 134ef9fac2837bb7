// Prints the run's sum as the last line, `N passed, N failed`, for people and machines that read only the end.
import type { Reporter, TestModule } from 'vitest/node';

export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (wanted: string) => states.filter((state) => state === wanted).length;
    // A file that could not be loaded holds no tests, and an error outside of tests belongs to none.
    const broken = modules.filter((module) => module.children.size === 0 && !module.ok()).length;
    const passed = count('passed');
    const failed = count('failed') + broken + unhandledErrors.length;
    const skipped = states.length - passed - count('failed');
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // After the default reporter's own closing lines, which it prints in the same phase.
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default SummaryReporter;
