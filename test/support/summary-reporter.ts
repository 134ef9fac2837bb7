// Prints the run's sum as the last line, `N passed, N failed`, for people and machines that read only the end.
import type { Reporter, TestModule } from 'vitest/node';

export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      if (module.children.size === 0 && !module.ok()) failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
    }
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // After the default reporter's own closing lines, which it prints in the same phase.
    setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default SummaryReporter;
