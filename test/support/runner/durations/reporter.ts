// Writes how long each test file took, for the order of the next runs: `npm run update:durations`.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const path = join(import.meta.dirname, 'durations.json');

export class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => [relative('', module.moduleId), secondsOf(module)] as const)
      .filter(([, seconds]) => seconds >= 1)
      .toSorted(([left], [right]) => left.localeCompare(right));
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(files), undefined, 2)}\n`);
  }
}

function secondsOf(module: TestModule): number {
  return Math.round(module.diagnostic().duration / 1_000);
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default DurationsReporter;
