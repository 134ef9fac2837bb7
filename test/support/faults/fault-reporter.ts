// Sums up the fault tests and prints: `faults injected: N, histories checked: N, violations: N`.
import type { Reporter, TestModule } from 'vitest/node';

export class FaultReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const metas = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.meta()),
    );
    const sum = (key: 'faults' | 'histories' | 'violations') =>
      metas.reduce((total, meta) => total + (meta[key] ?? 0), 0);
    if (sum('histories') === 0) return;
    const line = `faults injected: ${sum('faults')}, histories checked: ${sum('histories')}, violations: ${sum('violations')}`;
    // Runs after the final lines of the default reporter.
    setImmediate(() => process.stdout.write(`${line}\n`));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default FaultReporter;
